#include "pg/owner/budget.hpp"

#include "pg/border/statement.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/pg_list.h"
#include "utils/guc.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

Statement insert_budget = {
    "INSERT INTO dpmix.budget_change (table_id, epsilon, delta, reason, role, weak) "
    "VALUES ($1, $2::numeric, $3::numeric, $4, $5, $6)"};

constexpr double kWeakEpsilon = 20;
bool warns = true;

// 0: nobody counted.
double estimated_rows(Oid relation) {
  double rows = 0, of_parts = 0;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, NoLock, NULL)) {
    const HeapTuple row = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(cell)));
    if (!HeapTupleIsValid(row)) continue;
    const Form_pg_class form = (Form_pg_class)GETSTRUCT(row);
    double* sum = form->relkind == RELKIND_PARTITIONED_TABLE ? &rows : &of_parts;
    if (form->reltuples > 0)
      *sum = sum == &rows ? Max(rows, form->reltuples) : *sum + form->reltuples;
    ReleaseSysCache(row);
  }
  return Max(rows, of_parts);
}

}  // namespace

void budgets_init() {
  DefineCustomBoolVariable("dpmix.warn_of_weak_budgets",
                           "Whether a budget that protects nobody is named by a WARNING.", NULL,
                           &warns, true, PGC_USERSET, 0, NULL, NULL, NULL);
}

Budget printed_budget(double epsilon, double delta, bool weak) {
  return {printed_decimal(epsilon), printed_decimal(delta), GetUserNameFromId(GetUserId(), false),
          weak};
}

void warn_of_weakness(const char* what, double epsilon, double delta, bool weak, Oid relation) {
  if (weak || !warns) return;
  constexpr const char* hint =
      "Common budgets are epsilon 0.5 to 8 and delta far below one over the number of people. If "
      "it "
      "is meant, state weak_budget => true.";
  if (epsilon > kWeakEpsilon) {
    ereport(WARNING,
            (errmsg("epsilon %g protects nobody in %s", epsilon, what),
             errdetail("With epsilon 20 an answer may become 485 million times as likely because "
                       "of one person."),
             errhint("%s", hint)));
  }
  const double rows = OidIsValid(relation) ? estimated_rows(relation) : 0;
  if (rows > 0 && delta > 1 / rows) {
    ereport(WARNING,
            (errmsg("delta %g is above one over the rows of %s, about %.0f", delta, what, rows),
             errdetail("A release that shows the rows of each person with that probability would "
                       "keep the promise, and show more than one row."),
             errhint("%s", hint)));
  }
}

void record_budget(int64 account, const Budget& budget, const char* reason) {
  (void)write_rows(insert_budget, {account, budget.epsilon, budget.delta, reason,
                                   name_value(budget.role), budget.weak});
}

}  // namespace dpmix::pg
