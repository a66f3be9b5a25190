#include "pg/query/layers/levels.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/query/read/temporary_tables.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace dpmix::pg {

bool has_queries(const Query* query) {
  if (query->hasSubLinks || query->cteList != NIL) return true;
  ListCell* cell;
  foreach (cell, query->rtable) {
    if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_SUBQUERY) return true;
  }
  return false;
}

bool needs_layer(const Query* query) {
  if (query->commandType != CMD_SELECT) return false;
  if (has_queries(query)) return true;
  List* seen = NIL;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind != RTE_RELATION) continue;
    if (list_member_oid(seen, entry->relid) && !is_public_here(entry->relid)) return true;
    if (is_linked(entry->relid)) return true;
    seen = lappend_oid(seen, entry->relid);
  }
  return false;
}

// WITH --------------------------------------------------------------------------------------------

namespace {

struct Commons {  // WITH of a query and of those around it
  const Query* query;
  const Commons* outer;
};

CommonTableExpr* common_named(const Commons* commons, const RangeTblEntry* entry) {
  for (Index level = entry->ctelevelsup; level > 0 && commons != NULL; level--) {
    commons = commons->outer;
  }
  const List* all = commons != NULL ? commons->query->cteList : NIL;
  ListCell* cell;
  foreach (cell, all) {
    CommonTableExpr* common = lfirst_node(CommonTableExpr, cell);
    if (strcmp(common->ctename, entry->ctename) == 0) return common;
  }
  refuse_construct("WITH RECURSIVE is", "Write the query without it.");
}

void inline_into(Query* query, const Commons* outer);

bool inline_below(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Query)) {
    inline_into((Query*)node, (const Commons*)arg);
    return false;
  }
  return walk_expression(node, inline_below, arg);
}

void inline_into(Query* query, const Commons* outer) {
  check_stack_depth();
  if (query->hasRecursive) refuse_construct("WITH RECURSIVE is", "Write the query without it.");
  if (query->hasModifyingCTE) refuse_construct("WITH that changes data is", "Leave it out.");
  const Commons here = {query, outer};
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind != RTE_CTE) continue;
    const CommonTableExpr* common = common_named(&here, entry);
    Query* copy = (Query*)copyObjectImpl(common->ctequery);
    IncrementVarSublevelsUp((Node*)copy, (int)entry->ctelevelsup, 1);
    become_subquery(entry, copy);
    entry->eref = makeAlias(common->ctename, (List*)copyObjectImpl(common->ctecolnames));
  }
  (void)walk_expressions_of(query, inline_below, (void*)&here);
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY) inline_into(entry->subquery, &here);
  }
  query->cteList = NIL;
}

}  // namespace

void inline_commons(Query* query) {
  inline_into(query, NULL);
}

// Rows below what aggregates them
// -------------------------------------------------------------------

namespace {

struct Reading {  // what a query reads of its rows
  List* columns;  // each once
};

Node* read_from_layer(Node* node, void* arg) {
  if (node == NULL) return NULL;
  const bool is_row = (IsA(node, Var) && ((const Var*)node)->varlevelsup == 0) ||
                      (IsA(node, SubLink) && !contain_aggs_of_level(node, 1));
  if (!is_row) return mutate_expression(node, read_from_layer, arg);
  const int place = add_once(&((Reading*)arg)->columns, node);
  return (Node*)makeVar(1, (AttrNumber)place, exprType(node), exprTypmod(node), exprCollation(node),
                        0);
}

bool is_among(Node* node, void* columns) {
  if (node == NULL) return false;
  if (IsA(node, Var)) return !list_member((const List*)columns, node);
  if (IsA(node, SubLink)) return true;
  return walk_expression(node, is_among, columns);
}

const char* name_of(const Query* query, const Node* column, int place) {
  if (!IsA(column, Var)) return psprintf("c%d", place);
  const Var* var = (const Var*)column;
  const RangeTblEntry* entry = (const RangeTblEntry*)list_nth(query->rtable, var->varno - 1);
  return get_rte_attribute_name((RangeTblEntry*)entry, var->varattno);
}

}  // namespace

Query* take_rows_out(Query* query) {
  Query* rows = makeNode(Query);
  rows->commandType = CMD_SELECT;
  rows->canSetTag = true;
  rows->rtable = query->rtable;
  share_permissions(query, rows);
  rows->jointree = query->jointree;
  rows->hasSubLinks = query->hasSubLinks;
  Reading reading = {};
  query->targetList = (List*)read_from_layer((Node*)query->targetList, &reading);
  query->havingQual = read_from_layer(query->havingQual, &reading);
  if (reading.columns == NIL) {  // rows are counted
    reading.columns = list_make1(constant(INT4OID, InvalidOid, Int32GetDatum(1)));
  }
  List* facts = NIL;
  ListCell* cell;
  foreach (cell, joined_by_and(rows->jointree->quals)) {
    Node* fact = (Node*)lfirst(cell);
    if (is_among(fact, reading.columns)) continue;
    Reading known = reading;
    facts = lappend(facts, read_from_layer((Node*)copyObjectImpl(fact), &known));
  }
  int place = 0;
  foreach (cell, reading.columns) {
    Node* column = (Node*)lfirst(cell);
    const char* name = name_of(query, column, ++place);
    rows->targetList = lappend(
        rows->targetList, makeTargetEntry((Expr*)column, (AttrNumber)place, pstrdup(name), false));
  }
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->inFromCl = true;
  become_subquery(entry, rows);
  query->rtable = list_make1(entry);
  forget_permissions(query);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(reference), (Node*)make_ands_explicit(facts));
  if (facts == NIL) query->jointree->quals = NULL;
  query->hasSubLinks = false;
  return rows;
}

}  // namespace dpmix::pg
