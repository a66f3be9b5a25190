#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "storage/lockdefs.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {

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
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (target->resjunk) continue;
    char* name = target->resname != NULL ? target->resname : pstrdup("?column?");
    table->eref->colnames = lappend(table->eref->colnames, makeString(name));
  }
}

void become_table(RangeTblEntry* entry, Oid relation, const char* name) {
  List* columns = entry->eref->colnames;
  become_nothing(entry);
  entry->rtekind = RTE_RELATION;
  entry->relid = relation;
  entry->relkind = get_rel_relkind(relation);
  entry->rellockmode = AccessShareLock;
  entry->inh = true;
  entry->eref = makeAlias(name, columns);
}

RangeTblEntry* entry_of_join(JoinExpr* join, const List* left, const List* right, List* variables,
                             List* names) {
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_JOIN;
  entry->jointype = join->jointype;
  entry->joinaliasvars = variables;
  entry->joinleftcols = (List*)left;
  entry->joinrightcols = (List*)right;
  entry->eref = makeAlias("unnamed_join", names);
  entry->inFromCl = true;
  join->usingClause = NIL;
  join->join_using_alias = join->alias = NULL;
  join->isNatural = false;
  return entry;
}

namespace {

// FROM (inner)
void read_from(Query* outer, Query* inner) {
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->inFromCl = true;
  become_subquery(entry, inner);
  outer->rtable = list_make1(entry);
  forget_permissions(outer);  // those of the tables are the inner query's
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  outer->jointree = makeFromExpr(list_make1(reference), NULL);
}

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

// The columns (Var) that a grouped query reads besides its keys.
List* columns_of_aggregates(const Query* query) {
  List* values = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref == 0) values = lappend(values, entry->expr);
  }
  return columns_of((Node*)values);
}

// Its targets over a query whose first columns are those and whose keys, in the order of GROUP BY,
// come next.
void aggregate_over(Query* query, const Query* inner, List* read) {
  auto key = (AttrNumber)(list_length(read) + 1);
  ListCell* cell;
  foreach (cell, query->targetList) {
    TargetEntry* entry = lfirst_node(TargetEntry, cell);
    entry->expr = entry->ressortgroupref != 0 ? (Expr*)column_of(inner, key++)
                                              : (Expr*)use_layer((Node*)entry->expr, read);
  }
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

void plan_apart(Query* rows) {
  rows->limitOffset = (Node*)constant(INT8OID, InvalidOid, Int64GetDatum(0));
}

Query* read_from_rows(Query* query, List* more) {
  List* read = columns_of_aggregates(query);
  Query* rows = (Query*)copyObjectImpl(query);
  rows->targetList = rows->groupClause = NIL;
  rows->hasAggs = false;
  plan_apart(rows);
  ListCell* cell;
  foreach (cell, read) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref != 0) add_column(rows, entry->expr);
  }
  foreach (cell, more) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  aggregate_over(query, rows, read);
  read_from(query, rows);
  return rows;
}

void read_from_groups(Query* query, Query* groups) {
  ListCell* cell;
  foreach (cell, groups->targetList) {
    TargetEntry* entry = lfirst_node(TargetEntry, cell);
    entry->resname = psprintf("c%d", entry->resno);
  }
  List* targets = NIL;
  foreach (cell, query->targetList) {
    TargetEntry* entry = (TargetEntry*)copyObjectImpl(lfirst(cell));
    if (entry->ressortgroupref != 0 || !IsA(entry->expr, Const)) {
      entry->expr = (Expr*)column_of(groups, entry->resno);
    }
    targets = lappend(targets, entry);
  }
  query->targetList = targets;
  read_from(query, groups);
}

Query* group_by_columns(Query* query) {
  (void)read_from_rows(query, NIL);
  return query;
}

}  // namespace dpmix::pg
