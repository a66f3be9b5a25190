#include "pg/query/layers/columns.hpp"

#include "pg/border/compat.hpp"
#include "pg/query/keys/buckets.hpp"
#include "pg/query/layers/marks.hpp"
#include "pg/query/layers/parts.hpp"
#include "pg/query/layers/sub_links.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// The constants that CASE or the like chooses among, each once; false: something else, too.
bool add_choices(const Node* node, List** constants) {
  if (node == NULL) return true;
  if (IsA(node, Const)) {
    if (!((const Const*)node)->constisnull) (void)add_once(constants, node);
    return true;
  }
  if (IsA(node, RelabelType)) {
    return add_choices((const Node*)((const RelabelType*)node)->arg, constants);
  }
  if (!IsA(node, CaseExpr)) return false;
  const CaseExpr* choice = (const CaseExpr*)node;
  const ListCell* cell;
  foreach (cell, choice->args) {
    if (!add_choices((const Node*)lfirst_node(CaseWhen, cell)->result, constants)) return false;
  }
  return add_choices((const Node*)choice->defresult, constants);
}

void take_choices(const Node* expression, ColumnDomain* domain) {
  List* constants = NIL;
  if (!IsA(expression, CaseExpr) || !add_choices(expression, &constants)) return;
  Oid output;
  bool varlena;
  getTypeOutputInfo(exprType(expression), &output, &varlena);
  domain->category = (char**)palloc(sizeof(char*) * (list_length(constants) + 1));
  const ListCell* cell;
  foreach (cell, constants) {
    domain->category[domain->categories++] =
        OidOutputFunctionCall(output, lfirst_node(Const, cell)->constvalue);
  }
}

// What meets every whole number of its range, as 10 * floor(x / 10) does not.
bool counts_in_ones(const Node* expression) {
  if (!IsA(expression, FuncExpr)) return false;
  const FuncExpr* call = (const FuncExpr*)expression;
  const char* name = get_func_name(call->funcid);
  if (name == NULL || call->funcid >= FirstUnpinnedObjectId) return false;
  if (strcmp(name, "extract") == 0 || strcmp(name, "date_part") == 0) return true;
  if (list_length(call->args) != 1) return false;
  for (const char* each : {"floor", "ceil", "ceiling", "round", "trunc"}) {
    if (strcmp(name, each) == 0) return true;
  }
  return false;
}

void describe_values(const LayerQuery* level, Node* expression, LayerColumn* column) {
  ColumnDomain* domain = &column->domain;
  if (!holds_numbers(exprType(expression))) {
    take_choices(expression, domain);
    return;
  }
  ValueInterval bounds;
  if (!bounds_of(level, expression, &bounds)) return;
  domain->has_bounds = true;
  domain->lower = bounds.lower;
  domain->upper = bounds.upper;
  column->whole = bounds.integral && counts_in_ones(expression);
}

// CASE or the like that has a constant for every row.
bool always_chooses(const Node* node) {
  if (node == NULL) return false;
  if (IsA(node, Const)) return !((const Const*)node)->constisnull;
  if (IsA(node, RelabelType)) return always_chooses((const Node*)((const RelabelType*)node)->arg);
  if (!IsA(node, CaseExpr)) return false;
  const ListCell* cell;
  foreach (cell, ((const CaseExpr*)node)->args) {
    if (!always_chooses((const Node*)lfirst_node(CaseWhen, cell)->result)) return false;
  }
  return always_chooses((const Node*)((const CaseExpr*)node)->defresult);
}

// Whether there may be NULLs besides those in a column of a table: from joins, or from what is
// computed.
bool may_be_missing(const LayerQuery* level, const Node* expression) {
  if (IsA(expression, Var) && ((const Var*)expression)->varlevelsup == 0) {
    const Var* column = (const Var*)expression;
    const LayerColumn* below = layer_column(level, column);
    return bms_is_member(column->varno, level->join.missing) || (below != NULL && below->nullable);
  }
  if (always_chooses(expression)) return false;
  if (IsA(expression, Aggref)) {
    const char* name = get_func_name(((const Aggref*)expression)->aggfnoid);
    return name == NULL || strcmp(name, "count") != 0;
  }
  return !IsA(expression, WindowFunc) || !is_count_of_rows(expression);
}

// row_number() over all rows of a unit; or a column that is one, of one part of FROM.
bool numbers_rows(const LayerQuery* level, const Node* expression) {
  if (IsA(expression, Var) && ((const Var*)expression)->varlevelsup == 0) {
    const LayerColumn* below = layer_column(level, (const Var*)expression);
    return below != NULL && below->numbers && level->items == 1;
  }
  if (!IsA(expression, WindowFunc)) return false;
  const WindowFunc* call = (const WindowFunc*)expression;
  if (call->winfnoid != F_ROW_NUMBER) return false;
  const ListCell* cell;
  foreach (cell, level->query->windowClause) {
    const WindowClause* window = lfirst_node(WindowClause, cell);
    if (window->winref != call->winref) continue;
    const ListCell* part;
    foreach (part, window->partitionClause) {
      const SortGroupClause* clause = lfirst_node(SortGroupClause, part);
      if (!is_unit(level,
                   get_sortgroupclause_expr((SortGroupClause*)clause, level->query->targetList))) {
        return false;
      }
    }
    return true;
  }
  return false;
}

// A column in place of what is one of its values: date_trunc('month', min(seen)) has no other ones
// than date_trunc('month', seen).
Node* of_columns(Node* node, void* arg) {
  if (node == NULL) return NULL;
  const Var* same = same_values((const LayerQuery*)arg, node);
  const bool alike = same != NULL && same->vartype == exprType(node);
  return alike ? (Node*)copyObjectImpl(same) : mutate_expression(node, of_columns, arg);
}

void describe_bucket(const LayerQuery* level, Node* expression, LayerColumn* column) {
  Expr* bucket = (Expr*)of_columns(expression, (void*)level);
  if (!cuts_time(level, (Node*)bucket)) return;
  column->scope = level;
  column->bucket = bucket;
}

void describe_column(const LayerQuery* level, const TargetEntry* target, const Expr* value,
                     LayerColumn* column, ColumnMarks* known) {
  const Node* expression = (const Node*)target->expr;
  *column = {};
  column->name = target->resname != NULL ? target->resname : "?column?";
  column->type = exprType((const Node*)value);
  column->typmod = exprTypmod((const Node*)value);
  column->collation = exprCollation((const Node*)value);
  column->asked = exprType(expression);
  column->asked_typmod = exprTypmod(expression);
  column->nullable = may_be_missing(level, expression);
  if (get_typlen(column->type) == -1) column->longest = longest_text((const Node*)value);
  *known = {NIL, true};
  const Var* bare = bare_column(expression);
  if (bare != NULL && bare->varlevelsup == 0) {
    *known = known_of(level, bare);
    const ListCell* cell;
    foreach (cell, known->marks) {
      const Mark* mark = (const Mark*)lfirst(cell);
      column->is_unit = column->is_unit || !OidIsValid(mark->target);
      column->is_key = column->is_key || (OidIsValid(mark->target) && is_whole(mark));
    }
  }
  column->numbers = numbers_rows(level, expression);
  const Var* same = same_values(level, expression);
  const LayerColumn* below =
      same != NULL ? layer_column(level, same) : column_of_value(level, expression);
  if (below != NULL) {
    column->scope = below->scope;
    column->plain = below->plain;
    column->in_row = below->in_row && bare != NULL;
    column->bucket = below->bucket;
    column->buckets = below->buckets;
    column->most = below->most;
    column->longest = Max(column->longest, below->longest);
    column->domain = below->domain;
    column->whole = below->whole;
    if (IsA(expression, Var)) {
      column->asked = below->asked;
      column->asked_typmod = below->asked_typmod;
    }
  } else if (same != NULL) {
    column->scope = level;
    column->plain = same;
    column->in_row = bare != NULL;
  } else {
    describe_values(level, (Node*)expression, column);
    describe_bucket(level, (Node*)expression, column);
  }
}

// What groups, sorts or tells rows apart is of a type that has one form for each of its values.
void check_clause(const TargetEntry* target) {
  if (target->ressortgroupref == 0) return;
  const Node* value = (const Node*)target->expr;
  if (may_be_key(exprType(value), exprCollation(value))) return;
  refuse_construct("grouping or sorting by a value of this type or collation is",
                   "Use a number, text, boolean, date, time stamp, uuid or enum.");
}

// Nobody falls out of a group because he has more rows than his owner said.
Expr* no_more_than(Expr* count, int64 most) {
  MinMaxExpr* least = makeNode(MinMaxExpr);
  least->minmaxtype = INT8OID;
  least->op = IS_LEAST;
  least->args = list_make2(count, constant(INT8OID, InvalidOid, Int64GetDatum(most)));
  least->location = -1;
  return (Expr*)least;
}

}  // namespace

void make_columns(LayerQuery* level, LayerAs as) {
  const Query* query = level->query;
  Layer* layer = level->layer;
  const int targets = list_length(query->targetList);
  layer->column = (LayerColumn*)palloc0(sizeof(LayerColumn) * (targets + 1));
  level->column = (ColumnMarks*)palloc0(sizeof(ColumnMarks) * (targets + 1));
  const bool is_counted = as == LayerAs::exists && !query->hasAggs && query->groupClause == NIL &&
                          query->distinctClause == NIL && query->windowClause == NIL;
  if (is_counted) {
    Expr* one = (Expr*)constant(INT4OID, InvalidOid, Int32GetDatum(1));
    level->made->targetList = list_make1(makeTargetEntry(one, 1, pstrdup("one"), false));
    return;
  }
  level->made->havingQual = safe_condition(level, query->havingQual);
  const ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    check_clause(target);
    Expr* value = safe_value(level, (Node*)target->expr);
    TargetEntry* made = flatCopyTargetEntry((TargetEntry*)target);
    made->expr = value;
    made->resorigtbl = InvalidOid;
    made->resorigcol = 0;
    level->made->targetList = lappend(level->made->targetList, made);
    if (target->resjunk) continue;
    const int place = layer->columns++;
    LayerColumn* column = &layer->column[place];
    describe_column(level, target, value, column, &level->column[place]);
    if (is_count_of_rows((const Node*)target->expr)) {
      const auto most = (int64)column->domain.upper;
      made->expr = no_more_than(value, most);
      if (most == level->most) column->most = most;  // else there are no more
    }
  }
}

}  // namespace dpmix::pg
