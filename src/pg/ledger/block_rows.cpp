#include "pg/ledger/block_rows.hpp"

#include "core/accounting/block_code.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
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
Statement charges_after = {
    "SELECT coalesce(lower(r), -9223372036854775808), coalesce(upper(r) - 1, 9223372036854775807), "
    "       g.epsilon::text, g.delta::text, g.cost::text, g.cost_delta::text "
    "FROM dpmix.charge g LEFT JOIN LATERAL unnest(g.blocks) r ON true "
    "WHERE g.table_id = " DPMIX_TABLES_OF("$1") " AND g.id > $2 AND g.id <= $3"};

Statement replace_checkpoint = {
    "INSERT INTO dpmix.block_checkpoint (account, through, content) VALUES ($1, $2, $3) "
    "ON CONFLICT (account) DO UPDATE SET through = $2, content = $3"};

struct Rows {
  int64 through = 0;
  const char* content = NULL;
  Size size = 0;
  uint64 count = 0;
  BlockRange* range;
  Sums* sums;
};

Rows read_rows_of(int64 account, int64 through) {
  Rows rows = {};
  as_catalog_owner([&] {
    if (read_rows(last_checkpoint, {account}) > 0 && ResultRow{}.int8(1) <= through) {
      rows.through = ResultRow{}.int8(1);
      const bytea* content = DatumGetByteaPP(ResultRow{}.copy(2));
      rows.content = VARDATA_ANY(content);
      rows.size = VARSIZE_ANY_EXHDR(content);
    }
    rows.count = read_rows(charges_after, {account, rows.through, through});
    rows.range = (BlockRange*)SPI_palloc(sizeof(BlockRange) * (rows.count + 1));
    rows.sums = (Sums*)SPI_palloc(sizeof(Sums) * (rows.count + 1));
    for (uint64 i = 0; i < rows.count; i++) {
      const ResultRow row = {i};
      rows.range[i] = {row.int8(1), row.int8(2)};
      rows.sums[i] = sums_in(row, 3);
    }
  });
  return rows;
}

}  // namespace

BlockSums read_block_sums(int64 account, int64 through) {
  Rows rows = {};
  postgres([&] { rows = read_rows_of(account, through); });
  BlockSums sums = decode_block_sums({rows.content, rows.size});
  for (uint64 i = 0; i < rows.count; i++) {
    const BlockCharge charge{rows.range[i], BlockSpending::up(spending_of(rows.sums[i]))};
    sums.add({&charge, 1});
  }
  return sums;
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
