#include "pg/query/statistics/seen_values.hpp"

#include "core/base/hash_set.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/guard.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/text_lengths.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/query/statistics/group_bytes.hpp"
#include "pg/query/statistics/tuples.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/units/row_memory.hpp"
#include "pg/units/value_numbers.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_value_first);
}

namespace dpmix::pg {

struct SeenList {  // the values of one statistic, each with its group
  ValueKinds* kinds;
  ValueNumbers* numbers;  // NULL: hashes tell them apart
};

struct SeenValues {
  uint64 seed;
  HashSet* hashes;  // those of all lists
  int lists;
  SeenList* list;
};

namespace {

// What the function is told besides: $1, and the number of the list.
constexpr int kMostKeys = FUNC_MAX_ARGS - 3;

Aggref* count_of(const Query* query, const QueryGroups* groups, int statistic) {
  const TargetEntry* entry =
      list_nth_node(TargetEntry, query->targetList, key_columns(groups) + statistic);
  return castNode(Aggref, entry->expr);
}

// The group, then the value that is counted in it.
List* group_and_value(const Query* query, const Aggref* count) {
  List* arguments = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref != 0) arguments = lappend(arguments, copyObjectImpl(entry->expr));
  }
  return lappend(arguments, copyObjectImpl(linitial_node(TargetEntry, count->args)->expr));
}

ValueKinds* kinds_of(const List* values) {
  Oid* type = (Oid*)palloc(sizeof(Oid) * list_length(values));
  int count = 0;
  const ListCell* cell;
  foreach (cell, values) type[count++] = exprType((const Node*)lfirst(cell));
  return value_kinds(count, type);
}

SeenList list_of(const List* values, uint64 seed) {
  ValueKinds* kinds = kinds_of(values);
  return {kinds, has_even_hashes(kinds) ? NULL : value_numbers(kinds, seed)};
}

// Room for more rows than the table is taken to have, and for large pages that are not filled.
constexpr double kSpare = 1.25, kLargePages = 8 << 20;

struct Taken {
  double rows, bytes;  // the most of a list, of all together
};

// Values themselves are kept where their hashes do not tell them apart.
Taken taken_by(const RowScope* scope, const QueryGroups* groups, const List* values) {
  const Expr* value = (const Expr*)llast(values);
  const Tuples tuples = tuples_of(scope, values, false, rows_in);
  const double alone = tuples_of(scope, list_make1((void*)value), false, rows_in).count;
  const double rows = Min(tuples.count, groups_met(groups) * alone);
  const ValueKinds* kinds = kinds_of(values);
  if (has_even_hashes(kinds)) return {rows, rows * HashSet::kBytesEach};
  if (is_text(exprType((const Node*)value)) && !is_stored_once(scope, value)) {
    refuse_construct(
        "dp_count_distinct of a text that is computed or joined, beside keys that "
        "are neither whole numbers nor texts, is",
        "Count a column of the protected table, or group by other keys.");
  }
  need_own_memory(tuples.text_bytes);
  return {rows, rows * bytes_of_value(kinds)};
}

void require_memory(const Taken& taken) {
  const double rows = taken.rows, bytes = taken.bytes;
  need_own_memory(kSpare * bytes + kLargePages + kHashedText);
  if (bytes <= scan_memory_bytes()) return;
  refuse_argument(
      "the different values of so many rows do not fit the memory of a release",
      psprintf("By the sizes of tables there are %.0f rows, whose values take up to %.0f kB; "
               "dpmix.scan_memory is %.0f kB.",
               rows, bytes / 1024, scan_memory_bytes() / 1024),
      "Let a superuser raise dpmix.scan_memory, or the owner declare the categories of a column "
      "(dpmix.set_categories), which are counted in less.");
}

}  // namespace

bool can_be_seen(Oid type) {
  const char kind = get_typtype(type);
  return is_own_type(type) && (kind == TYPTYPE_BASE || kind == TYPTYPE_ENUM) &&
         !OidIsValid(get_element_type(type)) && has_hashes(type);
}

bool counts_different_values(const QueryStatistics* statistics) {
  for (int i = 0; i < statistics->count; i++) {
    if (statistics->statistic[i].kind == StatisticKind::different) return true;
  }
  return false;
}

void need_first_values(const Query* query, const RowScope* scope, const QueryGroups* groups,
                       const QueryStatistics* statistics) {
  Taken taken = {};
  for (int i = 0; i < statistics->count; i++) {
    if (statistics->statistic[i].kind != StatisticKind::different) continue;
    const List* values = group_and_value(query, count_of(query, groups, i));
    const Taken here = taken_by(scope, groups, values);
    taken = {Max(taken.rows, here.rows), taken.bytes + here.bytes};
  }
  if (taken.bytes > 0) require_memory(taken);
}

SeenValues* count_first_values(Query* query, const RowScope* scope, const QueryGroups* groups,
                               const QueryStatistics* statistics) {
  if (!counts_different_values(statistics)) return NULL;
  if (key_columns(groups) > kMostKeys) {
    refuse(ErrorCode::query_not_allowed, "the query has too many group keys",
           psprintf("Where different values are counted there may be %d.", kMostKeys),
           "Group by fewer columns.");
  }
  SeenValues* made = (SeenValues*)palloc0(sizeof(SeenValues));
  made->list = (SeenList*)palloc(sizeof(SeenList) * statistics->count);
  made->hashes = context_object<HashSet>([] { return new HashSet(); });
  RandomStream* random = random_stream();
  made->seed = guard([&] { return random->next64(); });
  const Oid function = dpmix_function("value_first", {INTERNALOID, INT4OID, ANYOID});
  for (int i = 0; i < statistics->count; i++) {
    if (statistics->statistic[i].kind != StatisticKind::different) continue;
    Aggref* count = count_of(query, groups, i);
    List* values = group_and_value(query, count);
    made->list[made->lists] = list_of(values, made->seed);
    llast(values) = comparable_text(scope, (Expr*)llast(values));
    Const* list = constant(INT4OID, InvalidOid, Int32GetDatum(made->lists++));
    List* arguments = list_concat(list_make2(memory_parameter(), list), values);
    Expr* first = (Expr*)makeFuncExpr(function, BOOLOID, arguments, InvalidOid, InvalidOid,
                                      COERCE_EXPLICIT_CALL);
    // Only of rows that the statistic counts.
    count->aggfilter = count->aggfilter == NULL ? first : case_when(count->aggfilter, first);
  }
  return made;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

// STRICT: neither a missing value nor one of no group is counted.
Datum dpmix_value_first(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  const SeenValues* values = ((const RowMemory*)PG_GETARG_POINTER(0))->seen;
  const int number = PG_GETARG_INT32(1);
  const SeenList& list = values->list[number];
  Datum given[FUNC_MAX_ARGS];
  for (int i = 2; i < PG_NARGS(); i++) given[i - 2] = PG_GETARG_DATUM(i);
  ReadValue read[FUNC_MAX_ARGS];
  read_values(list.kinds, given, read);
  if (list.numbers != NULL) {
    const uint64 hash = value_hash(list.numbers, read);
    uint64& seen = notes_of(list.numbers)[add_number(list.numbers, hash, read)];
    const bool first = seen == 0;
    seen = 1;
    PG_RETURN_BOOL(first);
  }
  // Each list has a seed of its own.
  const uint64 hash = hash_of_values(list.kinds, values->seed + (uint64)number, read);
  PG_RETURN_BOOL(guard([&] { return values->hashes->add(hash); }));
}
