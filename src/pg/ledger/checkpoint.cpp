#include "pg/ledger/checkpoint.hpp"

#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

Statement sums_of_accounts = {
    "SELECT t.account, coalesce(n.role_oid, 0), t.epsilon::text, t.delta::text, "
    "       t.cost::text, t.cost_delta::text FROM dpmix_internal.account_total t "
    "LEFT JOIN dpmix.role_number n ON n.id = t.granted_number"};

Statement memberships = {"SELECT id, account FROM dpmix.protected_table WHERE account IS NOT NULL"};

Statement last_checkpoint = {"SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint"};

// A new checkpoint: sums of the tables and grants that were charged since the last one.
Statement insert_checkpoint = {
    "WITH since AS ("
    "  SELECT DISTINCT table_id, granted_number FROM dpmix.charge "
    "  WHERE id > (SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint)) "
    "INSERT INTO dpmix.ledger_checkpoint "
    "  (through, table_id, granted_number, charges, epsilon, delta, cost, cost_delta) "
    "SELECT $1, t.table_id, t.granted_number, t.charges, t.epsilon, t.delta, t.cost, t.cost_delta "
    "FROM dpmix_internal.charge_total t "
    "JOIN since s ON s.table_id = t.table_id "
    "AND s.granted_number IS NOT DISTINCT FROM t.granted_number"};

}  // namespace

LedgerSums read_ledger_sums() {
  LedgerSums sums = {};
  as_catalog_owner([&] {
    (void)read_rows(last_checkpoint);
    sums.through = ResultRow{}.int8(1);
    sums.count = read_rows(sums_of_accounts);
    sums.grants = (GrantSums*)SPI_palloc(Max(sums.count, 1) * sizeof(GrantSums));
    for (uint64 i = 0; i < sums.count; i++) {
      const ResultRow row = {i};
      sums.grants[i] = {row.int8(1), row.oid(2), sums_in(row, 3)};
    }
  });
  return sums;
}

Memberships read_memberships() {
  Memberships found = {};
  as_catalog_owner([&] {
    found.count = read_rows(memberships);
    found.list = (Membership*)SPI_palloc(Max(found.count, 1) * sizeof(Membership));
    for (uint64 i = 0; i < found.count; i++) {
      const ResultRow row = {i};
      found.list[i] = {row.int8(1), row.int8(2)};
    }
  });
  return found;
}

void write_checkpoint(int64 through) {
  as_catalog_owner([&] { (void)write_rows(insert_checkpoint, {through}); });
}

}  // namespace dpmix::pg
