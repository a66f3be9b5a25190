#include "pg/ledger/block_rows.hpp"

#include "core/accounting/block_code.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/ledger/sums.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
}

namespace dpmix::pg {
namespace {

Statement last_checkpoint = {
    "SELECT through, content FROM dpmix.block_checkpoint WHERE account = $1"};

// A charge without ranges is one of all blocks: it was made before the account had any.
#define DPMIX_CHARGED_RANGES                                                                       \
  "SELECT coalesce(lower(r), -9223372036854775808), coalesce(upper(r) - 1, 9223372036854775807), " \
  "       g.epsilon::text, g.delta::text, g.cost::text, g.cost_delta::text "                       \
  "FROM dpmix.charge g LEFT JOIN LATERAL unnest(g.blocks) r ON true "

Statement charges_after = {DPMIX_CHARGED_RANGES "WHERE g.table_id = " DPMIX_TABLES_OF(
    "$1") " AND g.id > $2 AND g.id <= $3"};

Statement charges_through = {DPMIX_CHARGED_RANGES "WHERE g.table_id = " DPMIX_TABLES_OF(
    "$1") " "
          "AND (g.granted_number = " DPMIX_NUMBERS_OF(
              "$2") " OR g.id = ANY (ARRAY("
                    "     SELECT s.charge_id FROM dpmix.sight s WHERE s.table_id "
                    "= " DPMIX_TABLES_OF(
                        "$1") " "
                              "     AND s.granted_number = " DPMIX_NUMBERS_OF("$2") ")))"};

Statement one_charge = {DPMIX_CHARGED_RANGES "WHERE g.id = $1"};

Statement replace_checkpoint = {
    "INSERT INTO dpmix.block_checkpoint (account, through, content) VALUES ($1, $2, $3) "
    "ON CONFLICT (account) DO UPDATE SET through = $2, content = $3"};

struct Rows {
  uint64 count = 0;
  BlockRange* range;
  Sums* sums;
};

// The rows of the statement that ran last, inside as_catalog_owner().
Rows charged_ranges(uint64 count) {
  Rows rows = {count, (BlockRange*)SPI_palloc(sizeof(BlockRange) * (count + 1)),
               (Sums*)SPI_palloc(sizeof(Sums) * (count + 1))};
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row = {i};
    rows.range[i] = {row.int8(1), row.int8(2)};
    rows.sums[i] = sums_in(row, 3);
  }
  return rows;
}

struct Checkpoint {
  int64 through = 0;
  const char* content = NULL;
  Size size = 0;
};

Rows read_rows_of(int64 account, int64 through, Checkpoint* checkpoint) {
  Rows rows = {};
  as_catalog_owner([&] {
    if (read_rows(last_checkpoint, {account}) > 0 && ResultRow{}.int8(1) <= through) {
      checkpoint->through = ResultRow{}.int8(1);
      const bytea* content = DatumGetByteaPP(ResultRow{}.copy(2));
      checkpoint->content = VARDATA_ANY(content);
      checkpoint->size = VARSIZE_ANY_EXHDR(content);
    }
    rows = charged_ranges(read_rows(charges_after, {account, checkpoint->through, through}));
  });
  return rows;
}

void add_rows(BlockSums& sums, const Rows& rows) {
  for (uint64 i = 0; i < rows.count; i++) {
    const BlockCharge charge{rows.range[i], BlockSpending::up(spending_of(rows.sums[i]))};
    sums.add({&charge, 1});
  }
}

}  // namespace

BlockSums read_block_sums(int64 account, int64 through) {
  Checkpoint checkpoint = {};
  Rows rows = {};
  postgres([&] { rows = read_rows_of(account, through, &checkpoint); });
  BlockSums sums = decode_block_sums({checkpoint.content, checkpoint.size});
  add_rows(sums, rows);
  return sums;
}

BlockSums read_granted_block_sums(int64 account, Oid granted_to) {
  Rows rows = {};
  postgres([&] {
    CommandCounterIncrement();  // charges of this batch are among them
    as_catalog_owner([&] {
      rows = charged_ranges(read_rows(charges_through, {account, granted_to}));
    });
  });
  BlockSums sums;
  add_rows(sums, rows);
  return sums;
}

std::vector<BlockRange> read_blocks_of_charge(int64 charge) {
  Rows rows = {};
  postgres(
      [&] { as_catalog_owner([&] { rows = charged_ranges(read_rows(one_charge, {charge})); }); });
  return {rows.range, rows.range + rows.count};
}

char* ranges_text(const BlockRange* ranges, int count) {
  StringInfoData text;
  initStringInfo(&text);
  for (int i = 0; i < count; i++) {
    appendStringInfo(&text, "%s[" INT64_FORMAT "," INT64_FORMAT "]", i == 0 ? "{" : ",",
                     ranges[i].first, ranges[i].last);
  }
  appendStringInfoChar(&text, '}');
  return text.data;
}

void write_block_checkpoint(int64 account, const BlockSums& sums, int64 through) {
  const std::string bytes = encode(sums);
  postgres([&] {
    bytea* content = cstring_to_text_with_len(bytes.data(), (int)bytes.size());
    as_catalog_owner([&] {
      (void)write_rows(replace_checkpoint,
                       {account, through, Value(BYTEAOID, PointerGetDatum(content))});
    });
  });
}

}  // namespace dpmix::pg
