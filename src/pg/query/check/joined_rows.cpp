#include "pg/query/check/joined_rows.hpp"

#include "pg/query/check/join_conditions.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/border/compat.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/query/read/layer.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

constexpr int64 kMostRows = 1000000;  // the most rows of one unit

struct Join : JoinConditions {
  const QuerySources* sources;
};

Join read_join(const RowScope* scope, const List* from, const Node* where) {
  return {join_conditions(from, where, list_length(scope->query->rtable)), scope->sources};
}

// Units -------------------------------------------------------------------------------------------

Oid unit_family(const QuerySource* source) {
  const Oid type = get_atttype(source->relation, source->table->unit);
  return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

bool is_unit_of(const Node* node, const QuerySource* source) {
  return source->table->unit != InvalidAttrNumber &&
         is_column(node, source->varno, source->table->unit);
}

// Whether a condition that holds for a table makes its unit that of another.
bool is_same_unit(const Join* join, const QuerySource* source, const QuerySource* other) {
  ListCell* cell;
  foreach (cell, join->conditions) {
    const JoinCondition* condition = (const JoinCondition*)lfirst(cell);
    if (!bms_is_member(source->varno, condition->holds)) continue;
    const Node* left = (const Node*)linitial(condition->clause->args);
    const Node* right = (const Node*)lsecond(condition->clause->args);
    if (((is_unit_of(left, source) && is_unit_of(right, other)) ||
         (is_unit_of(right, source) && is_unit_of(left, other))) &&
        is_equality(condition, unit_family(source)) && is_equality(condition, unit_family(other))) {
      return true;
    }
  }
  return false;
}

[[noreturn]] void refuse_units(const QuerySource* first, const QuerySource* source) {
  const QuerySource* without = first->table->unit == InvalidAttrNumber    ? first
                               : source->table->unit == InvalidAttrNumber ? source
                                                                          : NULL;
  const char* const construct =
      psprintf("joining %s with %s otherwise than on their privacy units is", source->table->name,
               first->table->name);
  if (without != NULL) {
    refuse_construct(construct, psprintf("%s has no privacy_unit; protect a table with one to join "
                                         "it with other protected tables.",
                                         without->table->name));
  }
  refuse_construct(
      construct,
      psprintf(
          "Add %s = %s with the tables' names to ON or WHERE, joined to other conditions by AND.",
          quote_identifier(get_attname(source->relation, source->table->unit, false)),
          quote_identifier(get_attname(first->relation, first->table->unit, false))));
}

const QuerySource* first_protected(const QuerySources* sources) {
  const QuerySource* source = sources->source;
  while (source->table == NULL) source++;
  return source;
}

// Every protected table's unit is that of the first, if it is present.
void check_units(const Join* join) {
  const QuerySources* sources = join->sources;
  const QuerySource* first = first_protected(sources);
  Bitmapset* linked = bms_make_singleton(first->varno);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < sources->count; i++) {
      const QuerySource* source = &sources->source[i];
      if (source->table == NULL || bms_is_member(source->varno, linked)) continue;
      for (int j = 0; j < sources->count; j++) {
        const QuerySource* other = &sources->source[j];
        if (!bms_is_member(other->varno, linked) || !is_same_unit(join, source, other)) continue;
        linked = bms_add_member(linked, source->varno);
        more = true;
        break;
      }
    }
  }
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table != NULL && !bms_is_member(source->varno, linked)) refuse_units(first, source);
  }
}

void check_sides(const Join* join) {
  const QuerySources* sources = join->sources;
  const QuerySource* first = first_protected(sources);
  if (bms_is_member(first->varno, join->missing)) {
    refuse_construct("a LEFT JOIN that may leave out the protected table is",
                     "Put the protected table on the left, or write JOIN.");
  }
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table == NULL || source == first) continue;
    if (source->table->adjacency != first->table->adjacency) {
      refuse_construct("joining protected tables of different adjacency is",
                       psprintf("Protect %s and %s with the same adjacency.", first->table->name,
                                source->table->name));
    }
    if (bms_is_member(source->varno, join->missing) &&
        source->table->adjacency == Adjacency::replace) {
      refuse_construct("a LEFT JOIN with a protected table of adjacency replace on the right is",
                       "Write JOIN; one changed unit would change the rows of two.");
    }
  }
}

// The bound ---------------------------------------------------------------------------------------

int64 most_rows(const QuerySources* sources) {
  int64 product = 1;
  for (int i = 0; i < sources->count; i++) {
    const ProtectedTable* table = sources->source[i].table;
    if (table != NULL) product *= table->rows_of_unit;
    if (product > kMostRows) {
      refuse(ErrorCode::query_not_allowed, "one privacy unit has too many rows in this join",
             psprintf("The product of max_rows_per_unit of its tables is above " INT64_FORMAT ".",
                      kMostRows),
             "Join fewer protected tables.");
    }
  }
  return product;
}

[[noreturn]] void refuse_multiplication(const QuerySource* source) {
  const char* name = quote_identifier(get_rel_name(source->relation));
  refuse(
      ErrorCode::query_not_allowed,
      psprintf("the join with public table %s could multiply rows of a privacy unit", name),
      psprintf("Each row of the protected table may meet one row of %s at most: all columns of a "
               "unique index must equal constants or columns of the tables before it. The index "
               "must be immediate, without a condition or expressions, and older than this "
               "transaction, as all partitions and their indexes; a table with inheritance "
               "children has none.",
               name),
      "Join on such columns with =, in the columns' own types; or let the owner protect the table "
      "with privacy_unit and max_rows_per_unit above 1, which bounds the rows of any join.");
}

// Whether each unit has one row, by an index that the owners of the other tables can trust too.
bool has_unique_unit(const QuerySource* source) {
  ListCell* cell;
  foreach (cell, unique_keys(source->relation)) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    if (key->columns == 1 && key->column[0] == source->table->unit) return true;
  }
  return false;
}

const QuerySource* next_one_row(const Join* join, const Bitmapset* known) {
  for (int i = 0; i < join->sources->count; i++) {
    const QuerySource* source = &join->sources->source[i];
    if (!bms_is_member(source->varno, known) &&
        is_one_row(join, source->varno, source->relation, known))
      return source;
  }
  return NULL;
}

const QuerySource* next_unknown(const Join* join, const Bitmapset* known, bool is_protected) {
  for (int i = 0; i < join->sources->count; i++) {
    const QuerySource* source = &join->sources->source[i];
    if (!bms_is_member(source->varno, known) && (source->table != NULL) == is_protected) {
      return source;
    }
  }
  return NULL;
}

[[noreturn]] void refuse_missing_blocks(const QuerySource* source) {
  refuse_construct("a LEFT JOIN with a table of blocks on the right is",
                   psprintf("Put %s on the left, or join it with JOIN.", source->table->name));
}

}  // namespace

JoinedRows joined_rows(const RowScope* scope, const List* from, const Node* where) {
  if (const Layer* layer = scope->sources->source[0].layer) {
    JoinedRows rows = {};
    rows.sampled = !layer->one;
    rows.most = (int)layer->most;
    rows.adjacency = layer->adjacency;
    return rows;
  }
  const Join join = read_join(scope, from, where);
  check_sides(&join);
  check_units(&join);

  const QuerySource* first = first_protected(join.sources);
  JoinedRows rows = {};
  rows.sampled = first->table->samples_units;
  Bitmapset* known = bms_make_singleton(first->varno);
  rows.first = bms_make_singleton(first->varno);
  if (next_unknown(&join, known, true) != NULL && !rows.sampled) {
    rows.sampled = !has_unique_unit(first);
    if (!rows.sampled) rows.alone = bms_make_singleton(first->varno);
  }
  // One row of a unit: not those of a child that comes after this was decided.
  if (!rows.sampled && first->table->unit != InvalidAttrNumber &&
      get_rel_relkind(first->relation) == RELKIND_RELATION) {
    rows.alone = bms_add_member(rows.alone, first->varno);
  }
  for (;;) {
    while (const QuerySource* source = next_one_row(&join, known)) {
      known = bms_add_member(known, source->varno);
      rows.alone = bms_add_member(rows.alone, source->varno);
      if (rows.several == NULL) rows.first = bms_add_member(rows.first, source->varno);
    }
    // What no index shows to be one row of its unit is bounded by sampling.
    const QuerySource* source = next_unknown(&join, known, true);
    if (source == NULL) break;
    known = bms_add_member(known, source->varno);
    rows.several = bms_add_member(rows.several, source->varno);
    rows.sampled = true;
  }
  const QuerySource* unknown = next_unknown(&join, known, false);
  if (unknown != NULL && !rows.sampled) refuse_multiplication(unknown);

  if (unknown != NULL) rows.multiplied_by = quote_identifier(get_rel_name(unknown->relation));
  for (int i = 0; i < join.sources->count; i++) {
    const Index varno = join.sources->source[i].varno;
    if (!bms_is_member(varno, known)) rows.several = bms_add_member(rows.several, varno);
  }

  rows.most = rows.sampled ? (int)most_rows(join.sources) : 1;
  rows.adjacency = first->table->adjacency;
  for (int i = 0; i < join.sources->count; i++) {
    const QuerySource* source = &join.sources->source[i];
    if (source->table == NULL) continue;
    const bool missing = bms_is_member(source->varno, join.missing);
    // Its rows are bounded by the unit, over all blocks that are read: where those of one block
    // change, rows of the others come and go (docs/proofs/blocks.md).
    if (has_blocks(source->table->blocks)) {
      if (missing) refuse_missing_blocks(source);
      if (rows.sampled) rows.adjacency = Adjacency::replace;
    }
    // A unit that leaves this table alone leaves its rows in the join, filled up with NULLs.
    if (missing) rows.adjacency = Adjacency::replace;
  }
  return rows;
}

void require_planned_parts(const RowScope* scope, const JoinedRows* rows) {
  const QuerySources* sources = scope->sources;
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    const bool parted =
        source->layer == NULL && get_rel_relkind(source->relation) == RELKIND_PARTITIONED_TABLE;
    const bool counted = bms_is_member(source->varno, rows->alone) ||
                         (source->table != NULL && !source->table->samples_units);
    if (parted && counted) require_parts_in_snapshot(source->relation);
  }
}

}  // namespace dpmix::pg
