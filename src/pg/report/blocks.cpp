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
#include "catalog/pg_type.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_blocks);
PG_FUNCTION_INFO_V1(dpmix_fullest_block);
PG_FUNCTION_INFO_V1(dpmix_block_of_now);
PG_FUNCTION_INFO_V1(dpmix_population_blocks);
}

namespace dpmix::pg {
namespace {

Statement declared = {
    "SELECT b.column_name, coalesce(b.first_value, q.first_value), coalesce(b.width, q.width), "
    "       coalesce(a.atttypid, 0::oid), b.column_name IS NOT NULL AND b.in_order_of IS NULL, "
    "       b.categories, p.unit_through IS NOT NULL "
    "FROM dpmix.protected_table p LEFT JOIN dpmix.block_column b ON b.table_id = p.id "
    "LEFT JOIN dpmix.population q ON q.id = p.account "
    "LEFT JOIN pg_attribute a ON a.attrelid = p.relation AND a.attnum = b.attnum "
    "     AND NOT a.attisdropped "
    "WHERE p.id = $1 AND (b.column_name IS NOT NULL OR q.width IS NOT NULL)"};

Statement population = {
    "SELECT q.accountant, coalesce(q.renyi_order, 0), b.epsilon::text, b.delta::text, "
    "       q.first_value, q.width FROM dpmix.population q "
    "JOIN LATERAL (SELECT c.epsilon, c.delta FROM dpmix.budget_change c WHERE c.table_id = q.id "
    "              ORDER BY c.id DESC LIMIT 1) b ON true "
    "WHERE q.id = $1 AND q.width IS NOT NULL"};

Value numeric_value(const char* digits) {
  return {NUMERICOID, DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
                                          ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))};
}

struct Numbers {  // a run's sums, as text
  const char* part[4];
};

// Inside guard().
Numbers numbers_of(const BlockSpending& sums) {
  const Spending all = sums.decimals();
  return {{c_string_of(all.epsilon.str()), c_string_of(all.delta.str()),
           c_string_of(all.amount.str()), c_string_of(all.added_delta.str())}};
}

double share_of(const std::vector<BlockSegment>& runs, int64 block, const BlockFilter& filter) {
  for (const BlockSegment& run : runs) {
    if (run.blocks.first <= block && block <= run.blocks.last) return filter.share_spent(run.sums);
  }
  return 0;
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
  const bool always = run == kAlways;
  add_row(rows, {(int64)run.first, value_if(run.last != PG_INT64_MAX, (int64)run.last),
                 always ? "always" : first_value_of(blocks, run.first),
                 always ? Value((const char*)NULL) : end_value(blocks, run.last),
                 numeric_value(numbers.part[0]), numeric_value(numbers.part[1]),
                 numeric_value(numbers.part[2]), numeric_value(numbers.part[3]), share, charges});
}

[[noreturn]] void refuse_without_blocks(Oid relation) {
  refuse_argument(psprintf("table %s has no blocks", qualified_name(relation)),
                  "Its budget is that of all its rows.", "It is in dpmix.budget.");
}

// Gives a population's blocks a type: days, if all blocks begin with one.
void place_in_time(DeclaredBlocks* blocks) {
  BlockGrid* grid = &blocks->grid;
  const bool days =
      grid->first % USECS_PER_DAY == 0 && (grid->of_months() || grid->width % USECS_PER_DAY == 0);
  blocks->type = days ? DATEOID : TIMESTAMPTZOID;
  grid->day = places_of_day(blocks->type);
  if (!days) return;
  grid->first /= USECS_PER_DAY;
  if (!grid->of_months()) grid->width /= USECS_PER_DAY;
}

}  // namespace

DeclaredBlocks read_declared_blocks(int64 table_id) {
  if (read_rows(declared, {table_id}) == 0) return {};
  const ResultRow row;
  const bool column = !row.is_null(1);
  const BlockRange linked = kPaidBlocks, apart = column ? BlockRange{0, kAllBlocks.last} : kAlways;
  DeclaredBlocks blocks = {.any = true,
                           .column = row.text(1),
                           .own = row.truth(7) ? linked : apart,
                           .type = row.oid(4),
                           .grid = {row.int8(2), row.int8(3)},
                           .listed = row.truth(5),
                           .category = NULL,
                           .categories = 0};
  if (!column) place_in_time(&blocks);
  blocks.grid.day = places_of_day(blocks.type);
  if (blocks.listed) blocks.category = row.texts(6, &blocks.categories);
  return blocks;
}

int64 block_of_now(const DeclaredBlocks& blocks) {
  if (!follows_clock(blocks.type)) return 0;
  const int64 place = place_of_time(blocks.type, GetCurrentTimestamp());
  return place < blocks.grid.first ? 0 : blocks.grid.block_of(place);
}

const char* first_value_of(const DeclaredBlocks& blocks, int64 block) {
  if (blocks.listed) return block < blocks.categories ? blocks.category[block] : NULL;
  if (!may_be_blocks(blocks.type) || block < 0) return NULL;
  const int64 place = blocks.grid.first_of(block);
  return place > largest_place(blocks.type) ? NULL : place_text(blocks.type, place);
}

const char* named_blocks(const DeclaredBlocks& blocks, BlockRange range) {
  if (range == kNoBlock) return "no block: none was read";
  if (range == kAlways) return "what is in no block, and is always read";
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

std::vector<BlockSegment> charged_blocks(int64 account, BlockRange within, int64 through) {
  return read_block_sums(account, through).segments(within);
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
  if (!blocks.any) refuse_without_blocks(relation);
  const ResultRows rows = begin_rows(fcinfo);
  guard([&] {
    const BlockFilter filter = filter_of(table);
    for (const BlockSegment& run : charged_blocks(table.account, blocks.own)) {
      const Numbers numbers = numbers_of(run.sums);
      const double share = filter.share_spent(run.sums);
      postgres([&] { add_run(rows, blocks, run.blocks, numbers, share, run.sums.charges); });
    }
  });
  return (Datum)0;
}

// The fullest block, for dpmix.budget: whoever calls it otherwise is shown what the view shows him.
Datum dpmix_fullest_block(PG_FUNCTION_ARGS) {
  const Oid relation = PG_GETARG_OID(0), viewer = record_viewer();
  SeenTable table = {};
  bool seen = false;
  DeclaredBlocks blocks = {};
  as_catalog_owner([&] {
    seen = find_seen_table(relation, viewer, &table);
    if (seen) blocks = read_declared_blocks(table.id);
  });
  const ResultRows rows = begin_rows(fcinfo);
  if (!seen) return (Datum)0;
  Numbers numbers = {};
  double least = 0;
  guard([&] {
    const std::vector<BlockSegment> runs = charged_blocks(table.account, blocks.own);
    const BlockShares shares = shares_of(runs, filter_of(table));
    numbers = numbers_of(shares.fullest.sums);
    least = shares.least;
  });
  add_row(rows, {numeric_value(numbers.part[0]), numeric_value(numbers.part[1]),
                 numeric_value(numbers.part[2]), numeric_value(numbers.part[3]), least});
  return (Datum)0;
}

// The same, for dpmix.describe and metrics: the block that is filled now, and where the next one
// begins.
Datum dpmix_block_of_now(PG_FUNCTION_ARGS) {
  const Oid relation = PG_GETARG_OID(0), viewer = record_viewer();
  SeenTable table = {};
  DeclaredBlocks blocks = {};
  as_catalog_owner([&] {
    if (find_seen_table(relation, viewer, &table)) blocks = read_declared_blocks(table.id);
  });
  const ResultRows rows = begin_rows(fcinfo);
  if (!blocks.any || !follows_clock(blocks.type)) return (Datum)0;
  const bool always = blocks.own == kAlways;
  const int64 block = always ? kAlways.first : block_of_now(blocks);
  double share = 0;
  guard([&] {
    share = share_of(charged_blocks(table.account, {block, block}), block, filter_of(table));
  });
  const char* const none = NULL;
  add_row(rows, {always ? none : first_value_of(blocks, block),
                 always ? none : first_value_of(blocks, block + 1), share});
  return (Datum)0;
}

// What the blocks of a population have spent, for dpmix.populations.
Datum dpmix_population_blocks(PG_FUNCTION_ARGS) {
  const int64 account = PG_GETARG_INT64(0);
  const char *accountant = NULL, *epsilon = NULL, *delta = NULL;
  double order = 0;
  DeclaredBlocks blocks = {};
  as_catalog_owner([&] {
    if (read_rows(population, {account}) == 0) return;
    const ResultRow row;
    accountant = row.text(1);
    order = row.float8(2);
    epsilon = row.text(3);
    delta = row.text(4);
    blocks.grid = {row.int8(5), row.int8(6)};
  });
  const ResultRows rows = begin_rows(fcinfo);
  if (accountant == NULL) return (Datum)0;
  place_in_time(&blocks);
  const int64 now = block_of_now(blocks);
  Numbers numbers = {};
  double always = 0, current = 0;
  guard([&] {
    const BlockFilter filter(Filter(accountant_of(accountant).value(), Decimal::parse(epsilon),
                                    Decimal::parse(delta), order));
    const std::vector<BlockSegment> runs = charged_blocks(account, kPaidBlocks);
    numbers = numbers_of(shares_of(runs, filter).fullest.sums);
    always = share_of(runs, kAlways.first, filter);
    current = share_of(runs, now, filter);
  });
  add_row(rows, {numeric_value(numbers.part[0]), numeric_value(numbers.part[1]),
                 numeric_value(numbers.part[2]), numeric_value(numbers.part[3]),
                 first_value_of(blocks, 0), first_value_of(blocks, now),
                 first_value_of(blocks, now + 1), current, always});
  return (Datum)0;
}
