#include "pg/comparison/passes.hpp"

#include "pg/border/value.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {

namespace {

const char* scan_sql(const CompareScan* scan, const ProtectedTable* table) {
  need_memory(state_bytes(scan));
  need_own_memory(bytes_of_states(shards_of(table->relation), 1, state_bytes(scan)));
  return psprintf("SELECT %s FROM %s AS r", targets_of(scan, has_shards(table->relation)),
                  table->name);
}

Oid parameter_of(const CompareScan* scan) {
  return scan->tested ? (Oid)FLOAT8ARRAYOID : InvalidOid;
}

}  // namespace

SilentScan* plan_compare(const CompareScan* scan, const ProtectedTable* table,
                         const BlocksRead& blocks) {
  return plan_scan_of(table, {}, blocks, scan_sql(scan, table), parameter_of(scan));
}

SilentScan* plan_exact_compare(const CompareScan* scan, const ProtectedTable* table) {
  return plan_scan(scan_sql(scan, table), table->relation, table->owner, parameter_of(scan));
}

CompareStates* run_compare(const CompareScan* scan, const SilentScan* plan, Numbers classifier) {
  return kept_states(scan, [&](RowReceiver receive) {
    run_scan(plan, receive,
             scan->tested ? float8_array(classifier.value, classifier.size).datum : (Datum)0);
  });
}

}  // namespace dpmix::pg
