#include "pg/catalog/blocks_read.hpp"

#include <algorithm>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/texts.hpp"
#include "pg/trees/category.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

TimestampTz later_end = 0;

Oid range_type(Oid type) {
  switch (type) {
    case DATEOID:
      return DATERANGEOID;
    case TIMESTAMPOID:
      return TSRANGEOID;
    case TIMESTAMPTZOID:
      return TSTZRANGEOID;
    default:
      return INT8RANGEOID;
  }
}

// Reads a range by PostgreSQL's own input, in UTC: no session's time zone decides which blocks are
// named.
RangeType* read_range(const char* text, Oid type) {
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  const int level = NewGUCNestLevel();
  set_for_now({"TimeZone", "UTC"}, PGC_SUSET);
  const Datum range = OidInputFunctionCall(input, (char*)text, argument, -1);
  AtEOXact_GUC(false, level);
  return DatumGetRangeTypeP(range);
}

// Infinite values lie beyond all others.
Int128 place_of(const RangeBound& bound, Oid type) {
  return type == DATEOID ? DatumGetDateADT(bound.val) : DatumGetInt64(bound.val);
}

Places places_in(const BlockColumn& blocks, const char* text) {
  const Oid type = range_type(blocks.type);
  RangeBound lower, upper;
  bool empty;
  range_deserialize(lookup_type_cache(type, TYPECACHE_RANGE_INFO), read_range(text, type), &lower,
                    &upper, &empty);
  Places places = places_of_blocks(blocks);
  if (empty || places.empty()) return {0, -1};
  const Int128 first =
      lower.infinite ? places.first : place_of(lower, blocks.type) + (lower.inclusive ? 0 : 1);
  const Int128 last =
      upper.infinite ? places.last : place_of(upper, blocks.type) - (upper.inclusive ? 0 : 1);
  if (first > places.last || last < places.first) return {0, -1};
  return {static_cast<int64>(std::max<Int128>(first, places.first)),
          static_cast<int64>(std::min<Int128>(last, places.last))};
}

// The number of a row's category.
Expr* block_number(const ProtectedTable* table, Var* column) {
  const ListedValues list = listed_values(table);
  return category_number((Expr*)column, list.value, list.count);
}

[[noreturn]] void refuse_category(const ProtectedTable* table, const char* text) {
  refuse_argument(psprintf("\"%s\" is no block of %s", quoted_prefix(text), table->name),
                  "Each declared category of its block column is one.",
                  "Name some of them, as in blocks => '{a,b}'; dpmix.set_categories adds more.");
}

// An array of categories.
BlocksRead listed_blocks(const ProtectedTable* table, const char* names) {
  int count, asked;
  char** category = block_categories(table->id, &count);
  Oid input, argument;
  getTypeInputInfo(TEXTARRAYOID, &input, &argument);
  ArrayType* array = DatumGetArrayTypeP(OidInputFunctionCall(input, (char*)names, argument, -1));
  Datum* name;
  bool* null;
  deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &name, &null, &asked);
  bool* named = (bool*)palloc0(Max(count, 1));
  for (int i = 0; i < asked; i++) {
    const char* wanted = null[i] ? "NULL" : TextDatumGetCString(name[i]);
    int found = 0;
    while (found < count && (null[i] || strcmp(category[found], wanted) != 0)) found++;
    if (found == count) refuse_category(table, wanted);
    named[found] = true;
  }
  if (asked == 0) refuse_category(table, names);
  BlocksRead read = blocks_where(named, count);
  join_nearest(&read);
  return read;
}

const char* example_of(const BlockColumn& blocks) {
  if (blocks.listed) return "'{a,b}'";
  switch (blocks.type) {
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return "'[2026-01-01,2026-02-01)'";
    default:
      return "'[0,1000)'";
  }
}

}  // namespace

ListedValues listed_values(const ProtectedTable* table) {
  ListedValues list = {};
  char** category = block_categories(table->id, &list.count);
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(table->relation, table->blocks.column, &type, &typmod, &collation);
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  list.value = (Datum*)palloc(sizeof(Datum) * Max(list.count, 1));
  for (int i = 0; i < list.count; i++) {
    list.value[i] = OidInputFunctionCall(input, category[i], argument, typmod);
  }
  return list;
}

BlocksRead blocks_where(const bool* named, int count) {
  BlocksRead read = {0, (BlockRange*)palloc(sizeof(BlockRange) * (count + 1))};
  for (int i = 0; i < count; i++) {
    if (!named[i]) continue;
    if (i == 0 || !named[i - 1]) read.range[read.count++] = {i, i};
    read.range[read.count - 1].last = i;
  }
  return read;
}

BlocksRead joined_blocks(const BlocksRead& a, const BlocksRead& b) {
  BlocksRead both = {0, (BlockRange*)palloc(sizeof(BlockRange) * (a.count + b.count + 1))};
  for (int i = 0; i < a.count; i++) both.range[both.count++] = a.range[i];
  for (int i = 0; i < b.count; i++) both.range[both.count++] = b.range[i];
  std::sort(both.range, both.range + both.count,
            [](const BlockRange& x, const BlockRange& y) { return x.first < y.first; });
  int kept = 0;
  for (int i = 0; i < both.count; i++) {
    BlockRange* last = kept > 0 ? &both.range[kept - 1] : NULL;
    if (last != NULL && both.range[i].first <= last->last + 1) {
      last->last = Max(last->last, both.range[i].last);
    } else {
      both.range[kept++] = both.range[i];
    }
  }
  both.count = kept;
  join_nearest(&both);
  return both;
}

Places places_of_blocks(const BlockColumn& blocks) {
  if (blocks.listed) return {0, blocks.categories - 1};
  const TimestampTz now = Max(later_end, GetCurrentTransactionStartTimestamp());
  return {Max(blocks.grid.first, least_place(blocks.type)),
          Min(place_of_time(blocks.type, now), largest_place(blocks.type))};
}

void end_blocks_at(TimestampTz later) {
  later_end = later;
}

TimestampTz end_of_blocks() {
  return later_end;
}

void join_nearest(BlocksRead* read) {
  while (read->count > kMostRanges) {
    int nearest = 0;
    const auto gap = [=](int i) { return read->range[i + 1].first - read->range[i].last; };
    for (int i = 1; i + 1 < read->count; i++) {
      if (gap(i) < gap(nearest)) nearest = i;
    }
    read->range[nearest].last = read->range[nearest + 1].last;
    for (int i = nearest + 1; i + 1 < read->count; i++) read->range[i] = read->range[i + 1];
    read->count--;
  }
}

Expr* within_blocks(const ProtectedTable* table, Index varno, const BlocksRead& read) {
  const BlockColumn& blocks = table->blocks;
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(table->relation, blocks.column, &type, &typmod, &collation);
  Var* column = makeVar((int)varno, blocks.column, type, typmod, collation, 0);
  const Expr* value = blocks.listed ? block_number(table, column) : (Expr*)column;
  const Oid ordered = blocks.listed ? INT4OID : blocks.type;
  const auto compare = [=](int strategy, int64 place) {
    return comparison(order_operator(ordered, strategy), (Expr*)copyObjectImpl(value),
                      (Expr*)constant(ordered, InvalidOid, value_at_place(ordered, place)));
  };
  List* ranges = NIL;
  for (int i = 0; i < read.count; i++) {
    const int64 first = blocks.grid.first_of(read.range[i].first),
                last = blocks.grid.last_of(read.range[i].last);
    ranges =
        lappend(ranges, make_ands_explicit(list_make2(compare(BTGreaterEqualStrategyNumber, first),
                                                      compare(BTLessEqualStrategyNumber, last))));
  }
  if (ranges == NIL) return (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(false));
  return list_length(ranges) == 1 ? (Expr*)linitial(ranges) : make_orclause(ranges);
}

Expr* scan_condition(const ProtectedTable* table, const BlocksRead& read) {
  return has_blocks(table->blocks) ? within_blocks(table, 1, read) : NULL;
}

BlocksRead blocks_argument(FunctionCallInfo fcinfo, int n, const ProtectedTable* table) {
  const char* text = text_argument(fcinfo, n);
  const BlockColumn& blocks = table->blocks;
  if (!has_blocks(blocks)) {
    if (text == NULL) return {0, NULL};
    refuse_argument(psprintf("%s has no blocks", table->name),
                    "Its budget is one for all of its rows, and a release reads them all.",
                    "Leave blocks out.");
  }
  const char* column = get_attname(table->relation, blocks.column, false);
  if (text == NULL) {
    refuse(
        ErrorCode::domain_missing,
        psprintf("the call does not say which blocks of %s it reads", table->name),
        psprintf("Each block of column \"%s\" has a budget of its own, and pays for the releases "
                 "that read it.",
                 column),
        psprintf("Give a range of the column's values, as in blocks => %s.", example_of(blocks)));
  }
  if (blocks.listed) return listed_blocks(table, text);
  const Places places = places_in(blocks, text);
  if (places.empty()) {
    refuse_argument(
        psprintf("no block of %s lies in \"%s\"", table->name, quoted_prefix(text)),
        psprintf("Blocks begin at the first value that protect() was told, and end now. The range "
                 "is of values of column \"%s\".",
                 column),
        psprintf("Give a range such as %s.", example_of(blocks)));
  }
  BlockRange* range = (BlockRange*)palloc(sizeof(BlockRange));
  *range = {blocks.grid.block_of(places.first), blocks.grid.block_of(places.last)};
  return {1, range};
}

}  // namespace dpmix::pg
