#include "pg/ledger/sights.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

Statement sums_of_sights = {
    "SELECT t.account, n.role_oid, t.epsilon::text, t.delta::text, t.cost::text, "
    "       t.cost_delta::text FROM dpmix_internal.seen_total t "
    "JOIN dpmix.role_number n ON n.id = t.granted_number"};

Statement first_sight = {
    "SELECT c.epsilon::text, c.delta::text, c.cost::text, c.cost_delta::text FROM dpmix.charge c "
    "WHERE c.id = $3 AND c.table_id = $1 AND " DPMIX_NOT_SEEN_BY("$2")};

Statement insert_sight = {
    "INSERT INTO dpmix.sight (table_id, granted_number, charge_id, epsilon) "
    "SELECT c.table_id, $2, c.id, c.epsilon FROM dpmix.charge c "
    "WHERE c.id = $3 AND c.table_id = $1"};

}  // namespace

SeenList read_seen() {
  SeenList seen = {};
  as_catalog_owner([&] {
    seen.count = read_rows(sums_of_sights);
    seen.list = (Seen*)SPI_palloc(sizeof(Seen) * (seen.count + 1));
    for (uint64 i = 0; i < seen.count; i++) {
      const ResultRow row = {i};
      seen.list[i] = {row.int8(1), row.oid(2), sums_in(row, 3)};
    }
  });
  return seen;
}

bool read_unseen(int64 table, Oid granted_to, int64 charge, Sums* sums) {
  bool found = false;
  as_catalog_owner([&] {
    found = read_rows(first_sight, {table, granted_to, charge}) > 0;
    if (found) *sums = sums_in(ResultRow{}, 1);
  });
  return found;
}

void write_sight(int64 table, int64 granted_number, int64 charge) {
  as_catalog_owner([&] {
    if (write_rows(insert_sight, {table, granted_number, charge}) != 1) {
      elog(ERROR, "the sight of a charge was not written");
    }
  });
}

}  // namespace dpmix::pg
