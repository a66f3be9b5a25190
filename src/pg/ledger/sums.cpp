#include "pg/ledger/sums.hpp"

namespace dpmix::pg {
namespace {

// Checkpoints of tables and grants are written where their sums had changed, so that the newest
// before the charge has the sums up to the newest checkpoint of all.
Statement sums_below = {
    "SELECT coalesce(sum(a.charges), 0)::bigint, coalesce(sum(a.epsilon), 0), "
    "       coalesce(sum(a.delta), 0), coalesce(sum(a.cost), 0), coalesce(sum(a.cost_delta), 0) "
    "FROM (SELECT * FROM ("
    "          SELECT DISTINCT ON (table_id, granted_number) "
    "                 charges, epsilon, delta, cost, cost_delta "
    "          FROM dpmix.ledger_checkpoint "
    "          WHERE table_id = " DPMIX_TABLES_OF("$1") " AND through < $2 "
    "          ORDER BY table_id, granted_number, through DESC) known "
    "      UNION ALL "
    "      SELECT 1, epsilon, delta, cost, cost_delta FROM dpmix.charge "
    "      WHERE table_id = " DPMIX_TABLES_OF("$1") " AND id < $2 AND id > "
    "            (SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint WHERE through < "
    "$2)) a"};

Statement first_after = {
    "SELECT id FROM dpmix.charge "
    "WHERE table_id = " DPMIX_TABLES_OF("$2") " "
    "AND id > coalesce((SELECT c.through FROM dpmix.ledger_checkpoint c "
    "                     JOIN dpmix.charge g ON g.id = c.through "
    "                     WHERE g.at <= $1 ORDER BY c.through DESC LIMIT 1), 0) "
    "  AND at > $1 AND at <= clock_timestamp() ORDER BY id LIMIT 1"};

}  // namespace

Sums sums_in(const ResultRow& row, int column) {
  return {{row.text(column), row.text(column + 1), row.text(column + 2), row.text(column + 3)}};
}

Spending spending_of(const Sums& sums) {
  return {Decimal::parse(sums.part[0]), Decimal::parse(sums.part[1]), Decimal::parse(sums.part[2]),
          Decimal::parse(sums.part[3])};
}

AccountSums sums_before(int64 account, int64 id) {
  (void)read_rows(sums_below, {account, id});
  const ResultRow row;
  return {row.int8(1), sums_in(row, 2)};
}

int64 first_charge_after(int64 account, TimestampTz at) {
  if (read_rows(first_after, {time_value(at), account}) == 0) return PG_INT64_MAX;
  return ResultRow{}.int8(1);
}

}  // namespace dpmix::pg
