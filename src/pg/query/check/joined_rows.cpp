#include "pg/query/check/joined_rows.hpp"

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
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

constexpr int64 kMostRows = 1000000;  // of one unit

// Of the form a = b or the like, at the top level of AND: true of every joined row in which a table
// that it holds for is present, that is, not filled up with NULLs by a LEFT JOIN.
struct Condition {
  const OpExpr* clause;
  Bitmapset* holds;
};

struct Join {
  const QuerySources* sources;
  List* conditions;    // of Condition*
  Bitmapset* missing;  // tables that a LEFT JOIN may fill up with NULLs
  Bitmapset** before;  // of each table: the left sides of the LEFT JOINs that may do so
};

void add_conditions(Join* join, const Node* condition, Bitmapset* holds) {
  if (condition == NULL) return;
  if (is_andclause(condition)) {
    ListCell* cell;
    foreach (cell, ((const BoolExpr*)condition)->args) {
      add_conditions(join, (const Node*)lfirst(cell), holds);
    }
  } else if (is_opclause(condition) && list_length(((const OpExpr*)condition)->args) == 2) {
    Condition* added = (Condition*)palloc(sizeof(Condition));
    *added = {(const OpExpr*)condition, holds};
    join->conditions = lappend(join->conditions, added);
  }
}

// The tables of a part of FROM, its conditions noted.
Bitmapset* read_from(Join* join, const Node* node) {
  if (IsA(node, RangeTblRef)) return bms_make_singleton(((const RangeTblRef*)node)->rtindex);
  const JoinExpr* expr = (const JoinExpr*)node;
  Bitmapset* left = read_from(join, expr->larg);
  Bitmapset* right = read_from(join, expr->rarg);
  Bitmapset* both = bms_union(left, right);
  if (expr->jointype == JOIN_INNER) {
    add_conditions(join, expr->quals, both);
    return both;
  }
  add_conditions(join, expr->quals, right);
  join->missing = bms_add_members(join->missing, right);
  for (int table = -1; (table = bms_next_member(right, table)) >= 0;) {
    join->before[table] = bms_add_members(join->before[table], left);
  }
  return both;
}

Join read_join(const RowScope* scope, const List* from, const Node* where) {
  Join join = {};
  join.sources = scope->sources;
  join.before = (Bitmapset**)palloc0(sizeof(Bitmapset*) * (list_length(scope->query->rtable) + 1));
  Bitmapset* all = NULL;
  ListCell* cell;
  foreach (cell, from) all = bms_add_members(all, read_from(&join, (const Node*)lfirst(cell)));
  add_conditions(&join, where, all);
  return join;
}

bool find_tables(Node* node, void* found) {
  if (node == NULL) return false;
  if (IsA(node, Var)) {
    Bitmapset** tables = (Bitmapset**)found;
    *tables = bms_add_member(*tables, ((Var*)node)->varno);
  }
  return walk_expression(node, find_tables, found);
}

// The column itself, in whatever name its type goes by.
const Var* column_of(const Node* node) {
  while (node != NULL && IsA(node, RelabelType)) {
    node = (const Node*)((const RelabelType*)node)->arg;
  }
  return node != NULL && IsA(node, Var) ? (const Var*)node : NULL;
}

bool is_column(const Node* node, Index varno, AttrNumber column) {
  const Var* var = column_of(node);
  return var != NULL && (Index)var->varno == varno && var->varattno == column;
}

bool is_equality(const Condition* condition, Oid family) {
  return get_op_opfamily_strategy(condition->clause->opno, family) == BTEqualStrategyNumber;
}

// Of whole numbers to a type that holds each of them exactly: what is equal after it was before.
bool is_exact_cast(Oid function) {
  switch (function) {
    case F_INT4_INT2:
    case F_INT8_INT2:
    case F_INT8_INT4:
    case F_FLOAT8_INT2:
    case F_FLOAT8_INT4:
    case F_NUMERIC_INT2:
    case F_NUMERIC_INT4:
    case F_NUMERIC_INT8:
      return true;
    default:
      return false;
  }
}

// Whether a condition makes one side, if that is this column, equal to the other: in the sense of
// the index, or of a type to which it is cast exactly.
bool is_equality_of(const Condition* condition, int side, Index varno, AttrNumber column,
                    Oid family) {
  const Node* node = (const Node*)list_nth(condition->clause->args, side);
  if (is_column(node, varno, column)) return is_equality(condition, family);
  if (!IsA(node, FuncExpr) || !is_exact_cast(((const FuncExpr*)node)->funcid)) return false;
  if (!is_column((const Node*)linitial(((const FuncExpr*)node)->args), varno, column)) return false;
  const Oid type = ((const FuncExpr*)node)->funcresulttype;
  return is_equality(condition, lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf);
}

// Whether a column equals something that the rows of the known tables alone determine.
bool is_fixed(const Join* join, Index varno, AttrNumber column, Oid family,
              const Bitmapset* known) {
  ListCell* cell;
  foreach (cell, join->conditions) {
    const Condition* condition = (const Condition*)lfirst(cell);
    if (!bms_is_member(varno, condition->holds)) continue;
    for (int side = 0; side < 2; side++) {
      if (!is_equality_of(condition, side, varno, column, family)) continue;
      Bitmapset* tables = NULL;
      (void)find_tables((Node*)list_nth(condition->clause->args, 1 - side), &tables);
      if (bms_is_subset(tables, known)) return true;
    }
  }
  return false;
}

// At most one row of the source goes with each combination of rows of the known tables.
bool is_one_row(const Join* join, const QuerySource* source, const Bitmapset* known) {
  if (!bms_is_subset(join->before[source->varno], known)) return false;
  ListCell* cell;
  foreach (cell, unique_keys(source->relation)) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    bool fixed = true;
    for (int i = 0; fixed && i < key->columns; i++) {
      fixed = is_fixed(join, source->varno, key->column[i], key->family[i], known);
    }
    if (fixed) return true;
  }
  return false;
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
    const Condition* condition = (const Condition*)lfirst(cell);
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
    for (int j = 0; j < i; j++) {
      if (sources->source[j].relation != source->relation) continue;
      refuse_construct("joining a protected table with itself is",
                       "Name each protected table once in FROM.");
    }
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
               "transaction; partitions and inheritance children have none.",
               name),
      "Join on such columns with =, in the columns' own types; or let the owner protect the table "
      "with privacy_unit and max_rows_per_unit above 1, which bounds the rows of any join.");
}

// By an index that the owners of the other tables can trust too.
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
    if (!bms_is_member(source->varno, known) && is_one_row(join, source, known)) return source;
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
  const Join join = read_join(scope, from, where);
  check_sides(&join);
  check_units(&join);

  const QuerySource* first = first_protected(join.sources);
  JoinedRows rows = {};
  rows.sampled = first->table->samples_units;
  Bitmapset* known = bms_make_singleton(first->varno);
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
    }
    // What no index shows to be one row of its unit is bounded by sampling.
    const QuerySource* source = next_unknown(&join, known, true);
    if (source == NULL) break;
    known = bms_add_member(known, source->varno);
    rows.sampled = true;
  }
  const QuerySource* unknown = next_unknown(&join, known, false);
  if (unknown != NULL && !rows.sampled) refuse_multiplication(unknown);

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

}  // namespace dpmix::pg
