#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
}

#include "pg/border/compat.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

Node* use_layer(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (!IsA(node, Var)) return mutate_expression(node, use_layer, arg);
  AttrNumber number = 1;
  ListCell* cell;
  foreach (cell, (List*)arg) {
    Var* var = lfirst_node(Var, cell);
    if (equal(var, node)) {
      return (Node*)makeVar(1, number, var->vartype, var->vartypmod, var->varcollid, 0);
    }
    number++;
  }
  elog(ERROR, "the statistics query reads a column that the query below it lacks");
}

}  // namespace

void add_column(Query* query, Expr* value) {
  const AttrNumber number = (AttrNumber)(list_length(query->targetList) + 1);
  query->targetList =
      lappend(query->targetList, makeTargetEntry(value, number, psprintf("c%d", number), false));
}

Var* column_of(const Query* query, AttrNumber number) {
  const Expr* value = get_tle_by_resno(query->targetList, number)->expr;
  return makeVar(1, number, exprType((const Node*)value), exprTypmod((const Node*)value),
                 exprCollation((const Node*)value), 0);
}

void become_nothing(RangeTblEntry* table) {
  const bool in_from = table->inFromCl;
  memset((void*)table, 0, sizeof *table);
  table->type = T_RangeTblEntry;
  table->inFromCl = in_from;
}

void become_subquery(RangeTblEntry* table, Query* inner) {
  become_nothing(table);
  table->rtekind = RTE_SUBQUERY;
  table->subquery = inner;
  table->eref = makeAlias("layer", NIL);
  ListCell* cell;
  foreach (cell, inner->targetList) {
    table->eref->colnames =
        lappend(table->eref->colnames, makeString(lfirst_node(TargetEntry, cell)->resname));
  }
}

// FROM (inner) WHERE condition.
void read_from(Query* outer, Query* inner, Node* condition) {
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->inFromCl = true;
  become_subquery(entry, inner);
  outer->rtable = list_make1(entry);
  forget_permissions(outer);  // those of the tables are the inner query's
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  outer->jointree = makeFromExpr(list_make1(reference), condition);
}

// A query of all columns of another.
Query* layer_over(Query* inner, Node* condition) {
  Query* layer = makeNode(Query);
  layer->commandType = CMD_SELECT;
  layer->canSetTag = true;
  for (AttrNumber i = 1; i <= list_length(inner->targetList); i++) {
    add_column(layer, (Expr*)column_of(inner, i));
  }
  read_from(layer, inner, condition);
  return layer;
}

List* columns_of_aggregates(const Query* query) {
  List* values = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref == 0) values = lappend(values, entry->expr);
  }
  return columns_of((Node*)values);
}

void aggregate_over(Query* query, const Query* inner, List* read, AttrNumber first_key) {
  AttrNumber key = first_key;
  ListCell* cell;
  foreach (cell, query->targetList) {
    TargetEntry* entry = lfirst_node(TargetEntry, cell);
    entry->expr = entry->ressortgroupref != 0 ? (Expr*)column_of(inner, key++)
                                              : (Expr*)use_layer((Node*)entry->expr, read);
  }
}

Query* group_by_columns(Query* query) {
  List* read = columns_of_aggregates(query);
  Query* rows = (Query*)copyObjectImpl(query);
  rows->targetList = rows->groupClause = NIL;
  rows->hasAggs = false;
  // What keeps the planner from making one query of the two.
  rows->limitOffset = (Node*)constant(INT8OID, InvalidOid, Int64GetDatum(0));
  ListCell* cell;
  foreach (cell, read) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  const auto first_key = (AttrNumber)(list_length(read) + 1);
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref != 0) add_column(rows, entry->expr);
  }
  aggregate_over(query, rows, read, first_key);
  read_from(query, rows, NULL);
  return query;
}

}  // namespace dpmix::pg
