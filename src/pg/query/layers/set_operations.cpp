#include "pg/query/layers/set_operations.hpp"

#include <algorithm>
#include <iterator>

#include "pg/query/layers/marks.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace dpmix::pg {
namespace {

bool keeps_all(const SetOperationStmt* operation) {
  return operation->op == SETOP_UNION && operation->all;
}

// Whether a column of both sides is the unit and never NULL.
bool has_unit(const ColumnMarks& left, const ColumnMarks& right) {
  if (left.nullable || right.nullable) return false;
  const ListCell *mine, *theirs;
  foreach (mine, left.marks) {
    foreach (theirs, right.marks) {
      const Mark *a = (const Mark*)lfirst(mine), *b = (const Mark*)lfirst(theirs);
      if (is_whole(a) && same_mark(a, b)) return true;
    }
  }
  return false;
}

// Each column is the unit: a unit has one such row, where none comes twice.
bool are_units(const ColumnMarks* column, int columns) {
  for (int i = 0; i < columns; i++) {
    bool unit = false;
    const ListCell* cell;
    foreach (cell, column[i].marks) {
      unit = unit || !OidIsValid(((const Mark*)lfirst(cell))->target);
    }
    if (!unit || column[i].nullable) return false;
  }
  return columns > 0;
}

struct Side {
  ColumnMarks* column;
  LayerColumn* made;
  int64 most;
  bool one;
  Bitmapset* required;
};

// Whether a side's column may be NULL, also by its table: both sides together make no such column.
bool may_be_null(const Side& side, int column) {
  const LayerColumn& made = side.made[column];
  return made.nullable || (made.plain != NULL && side.column[column].nullable);
}

List* buckets_of(const LayerColumn& side) {
  if (side.bucket == NULL) return side.buckets;
  LayerColumn* copy = (LayerColumn*)palloc(sizeof(LayerColumn));
  *copy = side;
  return list_make1(copy);
}

// The wider of two types of whole numbers, to which PostgreSQL casts both; of other numbers
// float8, as they are computed in; InvalidOid: they are none.
Oid common_type(Oid left, Oid right) {
  if (left == right) return left;
  constexpr Oid kWhole[] = {INT8OID, INT4OID, INT2OID};
  const auto is_whole = [&](Oid type) {
    return std::ranges::find(kWhole, type) != std::end(kWhole);
  };
  if (!is_whole(left) || !is_whole(right)) {
    return is_number(left) && is_number(right) ? FLOAT8OID : InvalidOid;
  }
  return *std::ranges::find_if(kWhole, [&](Oid type) { return type == left || type == right; });
}

// A column of a query of FROM as float8, by a query around it: it may be sorted or told apart by
// the column as it is.
void give_float8(RangeTblEntry* entry, int column) {
  Query* inner = entry->subquery;
  IncrementVarSublevelsUp((Node*)inner, 1, 1);
  Query* made = makeNode(Query);
  made->commandType = CMD_SELECT;
  made->canSetTag = true;
  RangeTblEntry* below = makeNode(RangeTblEntry);
  below->inFromCl = true;
  become_subquery(below, inner);
  made->rtable = list_make1(below);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  made->jointree = makeFromExpr(list_make1(reference), NULL);
  ListCell* cell;
  foreach (cell, inner->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (target->resjunk) continue;
    const Node* value = (const Node*)target->expr;
    const auto number = (AttrNumber)(list_length(made->targetList) + 1);
    Expr* given =
        (Expr*)makeVar(1, number, exprType(value), exprTypmod(value), exprCollation(value), 0);
    if (number == column + 1) given = as_float8(given);
    made->targetList =
        lappend(made->targetList, makeTargetEntry(given, number, target->resname, false));
  }
  become_subquery(entry, made);
}

// What a side gives in a column, in each query that it is made of.
void give_float8(LayerQuery* level, Node* side, int column) {
  if (IsA(side, RangeTblRef)) {
    give_float8(rt_fetch(((RangeTblRef*)side)->rtindex, level->made->rtable), column);
    return;
  }
  SetOperationStmt* operation = (SetOperationStmt*)side;
  Oid* type = &lfirst_oid(list_nth_cell(operation->colTypes, column));
  if (*type == FLOAT8OID) return;
  if (!keeps_all(operation)) {
    refuse_construct(
        "UNION, INTERSECT or EXCEPT of numbers of one type, beside such of another, is",
        "Cast all of them to one type.");
  }
  *type = FLOAT8OID;
  give_float8(level, operation->larg, column);
  give_float8(level, operation->rarg, column);
}

LayerColumn met(const LayerColumn& left, const LayerColumn& right, Oid asked) {
  LayerColumn both = left;
  both.is_unit = left.is_unit && right.is_unit;
  both.is_key = left.is_key && right.is_key;
  both.numbers = false;
  both.most = left.most == right.most ? left.most : 0;
  both.type = common_type(left.type, right.type);
  both.asked = asked;
  if (left.type != right.type) both.typmod = both.asked_typmod = -1;
  if (left.plain != NULL && right.plain != NULL && left.plain == right.plain) return both;
  both.scope = NULL;
  both.plain = NULL;
  both.bucket = NULL;
  both.in_row = false;
  both.buckets = NIL;
  List *mine = buckets_of(left), *theirs = buckets_of(right);
  if (mine != NIL && theirs != NIL) both.buckets = list_concat_copy(mine, theirs);
  both.domain = {};
  both.whole = left.whole && right.whole;
  const auto domain = [](const LayerColumn& column) {
    if (column.plain == NULL) return column.domain;
    return domain_of(column.scope, column.plain);
  };
  const ColumnDomain a = domain(left), b = domain(right);
  if (a.has_bounds && b.has_bounds) {
    both.domain.has_bounds = true;
    both.domain.lower = Min(a.lower, b.lower);
    both.domain.upper = Max(a.upper, b.upper);
  }
  if (both.type == FLOAT8OID && left.type != right.type) return both;  // 1 and 1.0 are one value
  both.domain.category = (char**)palloc(sizeof(char*) * (a.categories + b.categories + 1));
  if (a.categories == 0 || b.categories == 0) return both;
  for (const ColumnDomain* side : {&a, &b}) {
    for (int i = 0; i < side->categories; i++) {
      bool known = false;
      for (int j = 0; j < both.domain.categories && !known; j++) {
        known = strcmp(both.domain.category[j], side->category[i]) == 0;
      }
      if (!known) both.domain.category[both.domain.categories++] = side->category[i];
    }
  }
  return both;
}

Side side_of(LayerQuery* level, const Node* node);

Side joined(LayerQuery* level, SetOperationStmt* operation) {
  const Side left = side_of(level, operation->larg), right = side_of(level, operation->rarg);
  Side made = left;
  const int columns = list_length(operation->colTypes);
  made.column = (ColumnMarks*)palloc0(sizeof(ColumnMarks) * columns);
  made.made = (LayerColumn*)palloc0(sizeof(LayerColumn) * columns);
  bool tells = false;
  for (int i = 0; i < columns; i++) {
    if (!OidIsValid(common_type(left.made[i].type, right.made[i].type))) {
      refuse_construct("a UNION of columns of different types is",
                       "Cast both to one type, or select plain columns.");
    }
    Oid* asked = &lfirst_oid(list_nth_cell(operation->colTypes, i));
    made.made[i] = met(left.made[i], right.made[i], *asked);
    const Oid type = made.made[i].type;
    const bool other = left.made[i].type != right.made[i].type && type == FLOAT8OID;
    if (other && !keeps_all(operation)) {
      refuse_construct("UNION, INTERSECT or EXCEPT of numbers of different types is",
                       "Cast both to one type, or write UNION ALL.");
    }
    if (left.made[i].type != type && other) give_float8(level, operation->larg, i);
    if (right.made[i].type != type && other) give_float8(level, operation->rarg, i);
    made.made[i].nullable = may_be_null(left, i) || may_be_null(right, i);
    const bool unit = !other && has_unit(left.column[i], right.column[i]);
    tells = tells || unit;
    made.column[i] = {unit ? left.column[i].marks : NIL, made.made[i].nullable};
    *asked = type;
  }
  if (!keeps_all(operation) && level->layer->multiplies) {
    refuse_construct(
        "UNION, INTERSECT or EXCEPT of rows of a join in which each may meet several is",
        "Write UNION ALL, or aggregate by person first.");
  }
  if (!keeps_all(operation) && !tells) {
    refuse_construct("UNION, INTERSECT or EXCEPT of several people's rows is",
                     "Select the column of the privacy unit on both sides, or write UNION ALL.");
  }
  ListCell* cell;
  int place = 0;
  foreach (cell, operation->groupClauses) {
    SortGroupClause* clause = sort_clause(made.made[place++].type, 0);
    clause->hashable = false;
    lfirst(cell) = clause;
  }
  made.one = false;
  if (operation->op == SETOP_UNION) {
    made.most = left.most + right.most;
    made.required = bms_intersect(left.required, right.required);
  } else if (operation->op == SETOP_INTERSECT) {
    made.most = Min(left.most, right.most);
    made.required = bms_union(left.required, right.required);
  }
  return made;
}

Side side_of(LayerQuery* level, const Node* node) {
  if (IsA(node, SetOperationStmt)) return joined(level, (SetOperationStmt*)node);
  const Index varno = (Index)((const RangeTblRef*)node)->rtindex;
  const RangeTblEntry* entry = rt_fetch(varno, level->query->rtable);
  const LayerQuery* below = query_within(level, entry->subquery, LayerAs::rows);
  become_subquery(rt_fetch(varno, level->made->rtable), below->made);
  Layer* layer = level->layer;
  layer->tables = list_concat_unique_ptr(layer->tables, below->layer->tables);
  layer->multiplies = layer->multiplies || below->layer->multiplies;
  return {below->column, below->layer->column, below->layer->most, below->layer->one,
          below->required};
}

}  // namespace

void make_union(LayerQuery* level) {
  level->made = (Query*)copyObjectImpl(level->query);
  level->made->sortClause = NIL;
  level->sources = (QuerySources*)palloc0(sizeof(QuerySources));  // none of its own
  const Side side = joined(level, (SetOperationStmt*)level->made->setOperations);
  Layer* layer = level->layer;
  layer->columns = list_length(((const SetOperationStmt*)level->made->setOperations)->colTypes);
  layer->column = side.made;
  const auto* operation = (const SetOperationStmt*)level->made->setOperations;
  layer->one = !keeps_all(operation) && !operation->all && are_units(side.column, layer->columns);
  layer->most = level->most = layer->one ? 1 : side.most;
  level->column = side.column;
  level->required = side.required;
  int place = 0;
  ListCell* cell;
  foreach (cell, level->made->targetList) {
    TargetEntry* target = lfirst_node(TargetEntry, cell);
    LayerColumn& column = layer->column[place++];
    Var* value = castNode(Var, target->expr);
    value->vartype = column.type;
    value->vartypmod = column.typmod;
    column.name = target->resname;
  }
}

}  // namespace dpmix::pg
