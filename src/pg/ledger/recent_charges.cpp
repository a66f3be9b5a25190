#include "pg/ledger/recent_charges.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

constexpr int64 kMinute = 60, kFirstBatch = 64, kLargestBatch = 8192;

// Ids are in the order of time, unless the clock was set back: what is yet to come is no part of
// the last minute.
Statement batch_below = {
    "SELECT coalesce(a.account, g.table_id), n.role_oid, age, count(*), min(g.id) FROM ("
    "  SELECT id, table_id, granted_number, "
    "         floor(extract(epoch FROM clock_timestamp() - at))::int8 AS age "
    "  FROM dpmix.charge WHERE id < $1 ORDER BY id DESC LIMIT $2) g "
    "LEFT JOIN dpmix_internal.table_account a ON a.table_id = g.table_id "
    "LEFT JOIN dpmix.role_number n ON n.id = g.granted_number "
    "GROUP BY 1, 2, age"};

// Returns whether older charges may be of the last minute too; below: of which the next batch is.
bool add_batch(RecentChargeList* recent, int64* below, int64 size) {
  const int rows = (int)read_rows(batch_below, {*below, size});
  recent->list = (RecentCharges*)repalloc(recent->list,
                                          sizeof(RecentCharges) * (recent->count + Max(rows, 1)));
  int64 charges = 0;
  bool within = true;
  for (int i = 0; i < rows; i++) {
    const ResultRow row{(uint64)i};
    const int64 age = row.int8(3);
    charges += row.int8(4);
    *below = Min(*below, row.int8(5));
    if (age < 0 || age > kMinute) {
      within = false;
    } else if (!row.is_null(2)) {
      recent->list[recent->count++] = {row.int8(1), row.oid(2), age, row.int8(4)};
    }
  }
  return within && charges == size;
}

}  // namespace

RecentChargeList read_recent_charges() {
  RecentChargeList recent = {(RecentCharges*)palloc(sizeof(RecentCharges)), 0};
  as_catalog_owner([&] {
    int64 below = PG_INT64_MAX;
    for (int64 size = kFirstBatch; add_batch(&recent, &below, size);) {
      size = Min(2 * size, kLargestBatch);
    }
  });
  return recent;
}

}  // namespace dpmix::pg
