#include "pg/report/blocks.hpp"

#include "core/accounting/filter.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/block_column.hpp"
#include "pg/catalog/record.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/ledger/block_rows.hpp"
#include "pg/report/seen_table.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_blocks);
PG_FUNCTION_INFO_V1(dpmix_fullest_block);
}

namespace dpmix::pg {
namespace {

Statement declared = {
    "SELECT b.column_name, b.first_value, b.width, coalesce(a.atttypid, 0::oid), "
    "       b.in_order_of IS NULL, b.categories "
    "FROM dpmix.block_column b JOIN dpmix.protected_table p ON p.id = b.table_id "
    "LEFT JOIN pg_attribute a ON a.attrelid = p.relation AND a.attnum = b.attnum "
    "     AND NOT a.attisdropped "
    "WHERE b.table_id = $1"};

Value numeric_value(const char* digits) {
  return {NUMERICOID, DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
                                          ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))};
}

struct Numbers {  // of a run, as text
  const char* part[4];
};

// Inside guard().
Numbers numbers_of(const BlockSpending& sums) {
  const Spending all = sums.decimals();
  return {{c_string_of(all.epsilon.str()), c_string_of(all.delta.str()),
           c_string_of(all.amount.str()), c_string_of(all.added_delta.str())}};
}

BlockFilter filter_of(const SeenTable& table) {
  return BlockFilter(Filter(accountant_of(table.accountant).value(), Decimal::parse(table.epsilon),
                            Decimal::parse(table.delta), table.order));
}

// A block after the last of all numbers: there is none.
Value end_value(const DeclaredBlocks& blocks, int64 last) {
  const bool none = blocks.listed || last == PG_INT64_MAX;
  return none ? Value((const char*)NULL) : first_value_of(blocks, last + 1);
}

void add_run(const ResultRows& rows, const DeclaredBlocks& blocks, BlockRange run,
             const Numbers& numbers, double share, int64 charges) {
  add_row(rows, {(int64)run.first, value_if(run.last != PG_INT64_MAX, (int64)run.last),
                 first_value_of(blocks, run.first), end_value(blocks, run.last),
                 numeric_value(numbers.part[0]), numeric_value(numbers.part[1]),
                 numeric_value(numbers.part[2]), numeric_value(numbers.part[3]), share, charges});
}

[[noreturn]] void refuse_without_blocks(Oid relation) {
  refuse_argument(psprintf("table %s has no blocks", qualified_name(relation)),
                  "Its budget is that of all its rows.", "It is in dpmix.budget.");
}

}  // namespace

DeclaredBlocks read_declared_blocks(int64 table_id) {
  if (read_rows(declared, {table_id}) == 0) return {};
  const ResultRow row;
  DeclaredBlocks blocks = {row.text(1),  row.oid(4), {row.int8(2), row.int8(3)},
                           row.truth(5), NULL,       0};
  if (blocks.listed) blocks.category = row.texts(6, &blocks.categories);
  return blocks;
}

const char* first_value_of(const DeclaredBlocks& blocks, int64 block) {
  if (blocks.listed) return block < blocks.categories ? blocks.category[block] : NULL;
  if (!may_be_blocks(blocks.type)) return NULL;
  const int64 place = blocks.grid.first_of(block);
  return place > largest_place(blocks.type) ? NULL : place_text(blocks.type, place);
}

const char* named_blocks(const DeclaredBlocks& blocks, BlockRange range) {
  if (range == kNoBlock) return "no block: none was read";
  const char* from = first_value_of(blocks, range.first);
  const char* to =
      range.last == PG_INT64_MAX ? NULL : first_value_of(blocks, range.last + !blocks.listed);
  StringInfoData text;
  initStringInfo(&text);
  if (range.first == range.last) {
    appendStringInfo(&text, "block " INT64_FORMAT, (int64)range.first);
  } else if (range.last == PG_INT64_MAX) {
    appendStringInfo(&text, "blocks from " INT64_FORMAT " on", (int64)range.first);
  } else {
    appendStringInfo(&text, "blocks " INT64_FORMAT " to " INT64_FORMAT, (int64)range.first,
                     (int64)range.last);
  }
  if (blocks.listed && range.first == range.last && from != NULL) {
    appendStringInfo(&text, " (%s)", from);
  } else if (from != NULL && to != NULL) {
    appendStringInfo(&text, " (%s to %s)", from, to);
  }
  return text.data;
}

std::vector<BlockSegment> charged_blocks(int64 account, int64 through) {
  return read_block_sums(account, through).segments({0, PG_INT64_MAX});
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_blocks(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const Oid relation = PG_GETARG_OID(0), viewer = GetUserId();
  const int64 id = require_seen_budget(relation)->id;
  SeenTable table = {};
  DeclaredBlocks blocks = {};
  as_catalog_owner([&] {
    if (!find_seen_table(relation, viewer, &table)) elog(ERROR, "the table is gone");
    blocks = read_declared_blocks(id);
  });
  if (blocks.column == NULL) refuse_without_blocks(relation);
  const ResultRows rows = begin_rows(fcinfo);
  guard([&] {
    const BlockFilter filter = filter_of(table);
    for (const BlockSegment& run : charged_blocks(table.account)) {
      const Numbers numbers = numbers_of(run.sums);
      const double share = filter.share_spent(run.sums);
      postgres([&] { add_run(rows, blocks, run.blocks, numbers, share, run.sums.charges); });
    }
  });
  return (Datum)0;
}

// For dpmix.budget: whoever calls it otherwise is shown what the view shows him.
Datum dpmix_fullest_block(PG_FUNCTION_ARGS) {
  const Oid relation = PG_GETARG_OID(0), viewer = record_viewer();
  SeenTable table = {};
  bool seen = false;
  as_catalog_owner([&] { seen = find_seen_table(relation, viewer, &table); });
  const ResultRows rows = begin_rows(fcinfo);
  if (!seen) return (Datum)0;
  Numbers numbers = {};
  double least = 0;
  guard([&] {
    const std::vector<BlockSegment> runs = charged_blocks(table.account);
    const BlockShares shares = shares_of(runs, filter_of(table));
    numbers = numbers_of(shares.fullest.sums);
    least = shares.least;
  });
  add_row(rows, {numeric_value(numbers.part[0]), numeric_value(numbers.part[1]),
                 numeric_value(numbers.part[2]), numeric_value(numbers.part[3]), least});
  return (Datum)0;
}
