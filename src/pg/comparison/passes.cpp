#include "pg/comparison/passes.hpp"

#include "pg/border/value.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/process/row_needs.hpp"

namespace dpmix::pg {

SilentScan* plan_compare(const CompareScan* scan, const ProtectedTable* table, Expr* condition) {
  need_memory(state_bytes(scan));
  const char* sql = psprintf("SELECT %s FROM %s AS r",
                             targets_of(scan, has_shards(table->relation)), table->name);
  SilentScan* plan = plan_scan(sql, table->relation, table->owner,
                               scan->tested ? FLOAT8ARRAYOID : InvalidOid, condition);
  require_planned_rows(table);
  return plan;
}

CompareStates* run_compare(const CompareScan* scan, const SilentScan* plan, Numbers classifier) {
  return kept_states(scan, [&](RowReceiver receive) {
    run_scan(plan, receive,
             scan->tested ? float8_array(classifier.value, classifier.size).datum : (Datum)0);
  });
}

}  // namespace dpmix::pg
