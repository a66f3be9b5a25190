#include "pg/ledger/sums_before.hpp"

#include "pg/border/statement.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

// Checkpoints of accounts are written where the account had changed, so that the newest before the
// charge has the sums up to the newest checkpoint of all.
Statement sums = {
    "SELECT coalesce(sum(a.charges), 0)::bigint, coalesce(sum(a.epsilon), 0), "
    "       coalesce(sum(a.delta), 0), coalesce(sum(a.cost), 0), coalesce(sum(a.cost_delta), 0) "
    "FROM (SELECT * FROM ("
    "          SELECT DISTINCT ON (granted_to) charges, epsilon, delta, cost, cost_delta "
    "          FROM dpmix.ledger_checkpoint WHERE table_id = $1 AND through < $2 "
    "          ORDER BY granted_to, through DESC) known "
    "      UNION ALL "
    "      SELECT 1, epsilon, delta, cost, cost_delta FROM dpmix.charge "
    "      WHERE table_id = $1 AND id < $2 AND id > "
    "            (SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint WHERE through < "
    "$2)) a",
    2,
    {INT8OID, INT8OID},
    NULL};

Statement first_after = {
    "SELECT id FROM dpmix.charge "
    "WHERE table_id = $2 AND id > coalesce((SELECT c.through FROM dpmix.ledger_checkpoint c "
    "                     JOIN dpmix.charge g ON g.id = c.through "
    "                     WHERE g.at <= $1 ORDER BY c.through DESC LIMIT 1), 0) "
    "  AND at > $1 AND at <= clock_timestamp() ORDER BY id LIMIT 1",
    2,
    {TIMESTAMPTZOID, INT8OID},
    NULL};

}  // namespace

TableSums sums_before(int64 table_id, int64 id) {
  Datum values[] = {Int64GetDatum(table_id), Int64GetDatum(id)};
  (void)read_rows(sums, values);
  bool null;
  TableSums found = {DatumGetInt64(result_datum(0, 1, &null)), {}};
  for (int i = 0; i < 4; i++) found.sum[i] = result_text(0, i + 2);
  return found;
}

int64 first_charge_after(int64 table_id, TimestampTz at) {
  Datum values[] = {TimestampTzGetDatum(at), Int64GetDatum(table_id)};
  if (read_rows(first_after, values) == 0) return PG_INT64_MAX;
  bool null;
  return DatumGetInt64(result_datum(0, 1, &null));
}

}  // namespace dpmix::pg
