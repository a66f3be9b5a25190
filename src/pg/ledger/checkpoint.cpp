#include "pg/ledger/checkpoint.hpp"

#include "pg/catalog/protected_table.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// SQL objects of 0.2.0 and before keep no checkpoints.
Statement all_sums = {
    "SELECT table_id, coalesce(granted_to, '')::text, sum(epsilon)::text, "
    "       sum(delta)::text, sum(cost)::text, sum(cost_delta)::text "
    "FROM dpmix.charge GROUP BY 1, 2",
    0,
    {},
    NULL};

Statement sums_since_checkpoint = {
    "SELECT table_id, coalesce(granted_to, '')::text, epsilon::text, delta::text, "
    "       cost::text, cost_delta::text "
    "FROM dpmix_internal.charge_total",
    0,
    {},
    NULL};

Statement last_checkpoint = {
    "SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint", 0, {}, NULL};

// Of the accounts that were charged since the last one.
Statement insert_checkpoint = {
    "WITH since AS ("
    "  SELECT DISTINCT table_id, granted_to FROM dpmix.charge "
    "  WHERE id > (SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint)) "
    "INSERT INTO dpmix.ledger_checkpoint "
    "  (through, table_id, granted_to, charges, epsilon, delta, cost, cost_delta) "
    "SELECT $1, t.table_id, t.granted_to, t.charges, t.epsilon, t.delta, t.cost, t.cost_delta "
    "FROM dpmix_internal.charge_total t "
    "JOIN since s ON s.table_id = t.table_id AND s.granted_to IS NOT DISTINCT FROM t.granted_to",
    1,
    {INT8OID},
    NULL};

bool has_checkpoints() {
  return OidIsValid(catalog_table("ledger_checkpoint"));
}

}  // namespace

void read_sums(void* arg) {
  LedgerSums* sums = (LedgerSums*)arg;
  bool null;
  sums->has_checkpoints = has_checkpoints();
  if (sums->has_checkpoints) {
    read_rows(last_checkpoint, NULL);
    sums->through = DatumGetInt64(result_datum(0, 1, &null));
  }
  sums->count = read_rows(sums->has_checkpoints ? sums_since_checkpoint : all_sums, NULL);
  sums->accounts = (AccountSums*)SPI_palloc(Max(sums->count, 1) * sizeof(AccountSums));
  for (uint64 i = 0; i < sums->count; i++) {
    sums->accounts[i] = {DatumGetInt64(result_datum(i, 1, &null)),
                         result_text(i, 2),
                         result_text(i, 3),
                         result_text(i, 4),
                         result_text(i, 5),
                         result_text(i, 6)};
  }
}

void write_checkpoint(void* through) {
  Datum value = Int64GetDatum(*(const int64*)through);
  write_rows(insert_checkpoint, &value);
}

}  // namespace dpmix::pg
