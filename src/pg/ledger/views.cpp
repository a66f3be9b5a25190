// What the views of budgets and metrics compute beyond sums.
#include <charconv>
#include <iterator>
#include <optional>
#include <string>

#include "core/accounting/filter.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/stamp.hpp"
#include "pg/ledger/sums.hpp"

extern "C" {
#include "access/xlog.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(dpmix_epsilon_spent);
PG_FUNCTION_INFO_V1(dpmix_share_spent);
PG_FUNCTION_INFO_V1(dpmix_ledger_ready);
}

namespace dpmix::pg {
namespace {

struct BudgetUse {  // the arguments, as texts
  const char* accountant;
  double order;
  const char *epsilon, *delta;
  Sums sums;
};

const char* decimal_argument(FunctionCallInfo fcinfo, int i) {
  return DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(i)));
}

bool read_use(FunctionCallInfo fcinfo, BudgetUse* use) {
  for (int i = 0; i < PG_NARGS(); i++) {
    if (PG_ARGISNULL(i) && i != 3) return false;  // only `renyi` has an order
  }
  *use = {text_to_cstring(PG_GETARG_TEXT_PP(0)),
          PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3),
          decimal_argument(fcinfo, 1),
          decimal_argument(fcinfo, 2),
          {}};
  for (int i = 0; i < 4; i++) use->sums.part[i] = decimal_argument(fcinfo, 4 + i);
  return true;
}

// An export asks row by row for one table after another.
struct KnownFilter {
  std::string accountant, epsilon, delta;
  double order;
  Filter filter;
};

const Filter& filter_of(const BudgetUse& use) {
  static std::optional<KnownFilter> known;
  if (!known || known->accountant != use.accountant || known->epsilon != use.epsilon ||
      known->delta != use.delta || known->order != use.order) {
    known = KnownFilter{use.accountant, use.epsilon, use.delta, use.order,
                        Filter(accountant_of(use.accountant).value_or(Accountant::renyi),
                               Decimal::parse(use.epsilon), Decimal::parse(use.delta), use.order)};
  }
  return known->filter;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_epsilon_spent(PG_FUNCTION_ARGS) {
  BudgetUse use;
  if (!read_use(fcinfo, &use)) PG_RETURN_NULL();
  char spent[32] = "";
  guard([&] {
    const double epsilon = filter_of(use).epsilon_spent(spending_of(use.sums));
    *std::to_chars(spent, std::end(spent) - 1, epsilon).ptr = '\0';
  });
  PG_RETURN_DATUM(DirectFunctionCall3(numeric_in, CStringGetDatum(spent),
                                      ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

Datum dpmix_share_spent(PG_FUNCTION_ARGS) {
  BudgetUse use;
  if (!read_use(fcinfo, &use)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(guard([&] { return filter_of(use).share_spent(spending_of(use.sums)); }));
}

// Whether charges may be made here, decided as the worker does, which also writes the first stamp.
Datum dpmix_ledger_ready(PG_FUNCTION_ARGS) {
  if (RecoveryInProgress()) PG_RETURN_BOOL(false);
  bool ready = false;
  as_catalog_owner([&] {
    LedgerStamp recorded = {};
    ready = !read_stamp(&recorded) || recorded == current_stamp();
  });
  PG_RETURN_BOOL(ready);
}
