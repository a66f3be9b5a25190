#include "pg/query/layers/grouped.hpp"

#include "pg/border/compat.hpp"
#include "pg/query/layers/read_conditions.hpp"
#include "pg/query/layers/sorting.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/grouping.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostValues = 30;

struct Grouping {
  int varno;
  AttrNumber unit;  // its column
  List* values;     // of GroupedValue*
  bool other;       // something is no value of a group
};

// The column of a value among the groups.
Node* value(Grouping* grouping, UnitAggregate how, Expr* argument) {
  if (argument != NULL && !reads_one_table((Node*)argument, grouping->varno)) {
    grouping->other = true;
    return (Node*)argument;
  }
  GroupedValue made = {how, NULL, InvalidOid, 0};
  if (argument != NULL) {
    made.argument = (Expr*)copyObjectImpl(argument);
    ChangeVarNodes((Node*)made.argument, grouping->varno, 1, 0);
    made.type = exprType((const Node*)argument);
  }
  int place = 0;
  const ListCell* cell;
  foreach (cell, grouping->values) {
    const GroupedValue* known = (const GroupedValue*)lfirst(cell);
    if (known->how == how && equal(known->argument, made.argument)) break;
    place++;
  }
  if (place == list_length(grouping->values)) {
    GroupedValue* kept = (GroupedValue*)palloc(sizeof(GroupedValue));
    *kept = made;
    grouping->values = lappend(grouping->values, kept);
  }
  return (Node*)makeVar(1, (AttrNumber)(place + 2), result_type(made), -1, InvalidOid, 0);
}

// NULL where FILTER leaves a row out: aggregates leave out NULLs.
Expr* filtered(const Aggref* call, Expr* argument) {
  if (call->aggfilter == NULL) return argument;
  return case_when((Expr*)copyObjectImpl(call->aggfilter), argument);
}

Expr* argument_of(const Aggref* call) {
  return (Expr*)copyObjectImpl(linitial_node(TargetEntry, call->args)->expr);
}

Node* counted(Grouping* grouping, const Aggref* call) {
  if (call->aggstar && call->aggfilter == NULL) return value(grouping, UnitAggregate::rows, NULL);
  Expr* there = (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(true));
  if (!call->aggstar) there = case_when(is_known(argument_of(call)), there);
  return value(grouping, UnitAggregate::values, filtered(call, there));
}

Node* aggregate(Grouping* grouping, const Aggref* call) {
  const char* name = call->aggfnoid < FirstUnpinnedObjectId ? get_func_name(call->aggfnoid) : NULL;
  const bool plain = name != NULL && call->agglevelsup == 0 && call->aggdistinct == NIL &&
                     call->aggorder == NIL && call->aggdirectargs == NIL;
  if (plain && strcmp(name, "count") == 0) return counted(grouping, call);
  if (plain && list_length(call->args) == 1) {
    const Oid type = exprType((const Node*)linitial_node(TargetEntry, call->args)->expr);
    const bool ordered = is_ordered_here(type) && call->aggtype == type;
    const struct {
      const char* name;
      UnitAggregate how;
      bool known;
    } all[] = {{"min", UnitAggregate::least, ordered},
               {"max", UnitAggregate::most, ordered},
               {"bool_and", UnitAggregate::all, type == BOOLOID},
               {"every", UnitAggregate::all, type == BOOLOID},
               {"bool_or", UnitAggregate::any, type == BOOLOID}};
    for (const auto& one : all) {
      if (strcmp(one.name, name) != 0 || !one.known) continue;
      return value(grouping, one.how, filtered(call, argument_of(call)));
    }
  }
  grouping->other = true;
  return (Node*)call;
}

// float8(sum(bigint)), as summed.cpp makes it; NULL: it is none.
Node* moment(Grouping* grouping, const FuncExpr* call) {
  if (call->funcid != F_FLOAT8_NUMERIC || !IsA(linitial(call->args), Aggref)) return NULL;
  const Aggref* sum = linitial_node(Aggref, call->args);
  const bool mean = sum->aggfnoid == F_AVG_INT8;
  if ((!mean && sum->aggfnoid != F_SUM_INT8) || sum->aggdistinct != NIL) return NULL;
  return value(grouping, mean ? UnitAggregate::mean : UnitAggregate::total,
               filtered(sum, argument_of(sum)));
}

Node* of_groups(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Grouping* grouping = (Grouping*)arg;
  switch (nodeTag(node)) {
    case T_Aggref:
      return aggregate(grouping, (const Aggref*)node);
    case T_FuncExpr:
      if (Node* made = moment(grouping, (const FuncExpr*)node)) return made;
      break;
    case T_Var: {  // all rows of a group have one unit
      const Var* column = (const Var*)node;
      const bool unit = column->varlevelsup == 0 && column->varno == grouping->varno &&
                        column->varattno == grouping->unit;
      if (unit) return value(grouping, UnitAggregate::most, (Expr*)node);
      grouping->other = true;
      return node;
    }
    case T_Query:
    case T_SubLink:
    case T_WindowFunc:
    case T_GroupingFunc:
    case T_Param:
      grouping->other = true;
      return node;
    default:
      break;
  }
  return mutate_expression(node, of_groups, arg);
}

// A query of one table, grouped by its unit and by nothing else.
bool groups_one_table(const LayerQuery* level) {
  const Query* query = level->query;
  if (query->setOperations != NULL || level->items != 1) return false;
  if (list_length(level->all->relations) != 1 || query->groupClause == NIL) return false;
  const bool more = query->distinctClause != NIL || query->windowClause != NIL ||
                    query->limitCount != NULL || query->hasSubLinks;
  const LayerItem* item = &level->item[0];
  if (more || item->below != NULL || !item->is_private || item->table->link != NULL) return false;
  Oid type, collation;
  int32 modifier;
  get_atttypetypmodcoll(item->relation, item->table->unit, &type, &modifier, &collation);
  if (!is_ordered_here(type) || type == FLOAT8OID) return false;
  return without_unit(level, query->groupClause) == NIL;
}

// What WHERE says is asked as rows are read.
bool asks_as_it_reads(const LayerQuery* level) {
  const ListCell* cell;
  foreach (cell, joined_by_and(level->made->jointree->quals)) {
    if (!reads_one_table((Node*)lfirst(cell), (int)level->item[0].varno)) return false;
  }
  return true;
}

Query* rows_of_groups(const LayerQuery* level) {
  if (!groups_one_table(level) || !asks_as_it_reads(level)) return NULL;
  const LayerItem* item = &level->item[0];
  Grouping grouping = {(int)item->varno, item->table->unit, NIL, false};
  Query* rows = makeNode(Query);
  rows->commandType = CMD_SELECT;
  rows->canSetTag = true;
  const ListCell* cell;
  foreach (cell, level->made->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (!target->resjunk) add_column(rows, (Expr*)of_groups((Node*)target->expr, &grouping));
  }
  Node* having = of_groups(level->made->havingQual, &grouping);
  if (grouping.other || list_length(grouping.values) > kMostValues) return NULL;
  const GroupedValues* values = grouped_values(grouping.values);
  rows->rtable = list_make1(groups_entry(level->all->held, values));
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  rows->jointree = makeFromExpr(list_make1(reference), having);
  add_column(rows, (Expr*)makeVar(1, 1, INT4OID, -1, InvalidOid, 0));
  hold_groups(level->all->held, values);
  return rows;
}

// A query that takes rows of one other, one by one.
bool takes_rows(const LayerQuery* level) {
  const Query* query = level->query;
  if (query->setOperations != NULL || level->items != 1 || level->item[0].below == NULL) {
    return false;
  }
  return !query->hasAggs && query->groupClause == NIL && query->havingQual == NULL &&
         query->distinctClause == NIL && query->windowClause == NIL && query->limitCount == NULL &&
         !query->hasSubLinks;
}

}  // namespace

Query* grouped_rows(const LayerQuery* level) {
  if (!takes_rows(level)) return rows_of_groups(level);
  const LayerItem* item = &level->item[0];
  Query* below = grouped_rows(item->below);
  if (below == NULL) return NULL;
  Query* rows = (Query*)copyObjectImpl(level->made);
  become_subquery(rt_fetch(item->varno, rows->rtable), below);
  rows->targetList = NIL;
  const ListCell* cell;
  foreach (cell, level->made->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (!target->resjunk) add_column(rows, (Expr*)copyObjectImpl(target->expr));
  }
  const auto unit = (AttrNumber)(item->layer->columns + 1);
  add_column(rows, (Expr*)makeVar((int)item->varno, unit, INT4OID, -1, InvalidOid, 0));
  return rows;
}

}  // namespace dpmix::pg
