#include "pg/owner/budget.hpp"

#include "pg/border/statement.hpp"
#include "pg/owner/owned.hpp"

namespace dpmix::pg {
namespace {

Statement insert_budget = {
    "INSERT INTO dpmix.budget_change (table_id, epsilon, delta, reason, role) "
    "VALUES ($1, $2::numeric, $3::numeric, $4, $5)"};

}  // namespace

Budget printed_budget(double epsilon, double delta) {
  return {printed_decimal(epsilon), printed_decimal(delta), GetUserNameFromId(GetUserId(), false)};
}

void record_budget(int64 account, const Budget& budget, const char* reason) {
  (void)write_rows(insert_budget,
                   {account, budget.epsilon, budget.delta, reason, name_value(budget.role)});
}

}  // namespace dpmix::pg
