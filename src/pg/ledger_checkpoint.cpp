#include "pg/ledger_checkpoint.hpp"

#include "pg/statement.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// SQL objects of 0.2.0 and before keep no checkpoints.
Statement all_sums = {
    "SELECT table_id, coalesce(granted_to, '')::text, count(*), sum(epsilon)::text, "
    "       sum(delta)::text, sum(cost)::text, sum(cost_delta)::text "
    "FROM dpmix.charge GROUP BY 1, 2",
    0,
    {},
    NULL};

Statement sums_since_checkpoint = {
    "SELECT table_id, coalesce(granted_to, '')::text, charges, epsilon::text, delta::text, "
    "       cost::text, cost_delta::text "
    "FROM dpmix.charge_total",
    0,
    {},
    NULL};

Statement last_checkpoint = {
    "SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint", 0, {}, NULL};

Statement insert_checkpoint = {
    "INSERT INTO dpmix.ledger_checkpoint "
    "  (through, table_id, granted_to, charges, epsilon, delta, cost, cost_delta) "
    "VALUES ($1, $2, nullif($3, ''), $4, $5::numeric, $6::numeric, $7::numeric, $8::numeric)",
    8,
    {INT8OID, INT8OID, NAMEOID, INT8OID, TEXTOID, TEXTOID, TEXTOID, TEXTOID},
    NULL};

bool has_checkpoints() {
  Oid catalog = get_namespace_oid("dpmix", false);
  return OidIsValid(get_relname_relid("ledger_checkpoint", catalog)) &&
         OidIsValid(get_relname_relid("charge_total", catalog));
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
                         DatumGetInt64(result_datum(i, 3, &null)),
                         result_text(i, 4),
                         result_text(i, 5),
                         result_text(i, 6),
                         result_text(i, 7)};
  }
}

void write_checkpoint(void* arg) {
  const Checkpoint* checkpoint = (const Checkpoint*)arg;
  const AccountSums* sums = checkpoint->sums;
  NameData granted_to;
  namestrcpy(&granted_to, sums->granted_to);
  Datum values[] = {Int64GetDatum(checkpoint->through),
                    Int64GetDatum(sums->table),
                    NameGetDatum(&granted_to),
                    Int64GetDatum(sums->charges),
                    CStringGetTextDatum(sums->epsilon),
                    CStringGetTextDatum(sums->delta),
                    CStringGetTextDatum(sums->rho),
                    CStringGetTextDatum(sums->added_delta)};
  write_rows(insert_checkpoint, values);
}

}  // namespace dpmix::pg
