#include "pg/facade/public_correlation.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/facade/flatten.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

// What it reads
// --------------------------------------------------------------------------------------

bool has_one_value(const Query* query) {
  return query->commandType == CMD_SELECT && query->hasAggs && query->setOperations == NULL &&
         query->groupClause == NIL && query->groupingSets == NIL && query->distinctClause == NIL &&
         !query->hasWindowFuncs && !query->hasTargetSRFs && query->limitCount == NULL &&
         query->limitOffset == NULL && query->rowMarks == NIL;
}

// An equality of something within with a column of a table around.
struct Match {
  OpExpr* test;
  int inner;         // the side within
  const Var* outer;  // the column as the query around names it
};

bool refers_around(Node* node) {
  return contain_vars_of_level(node, 1);
}

const Var* column_around(const QueryLevel* level, Node* node) {
  Node* column = (Node*)copyObjectImpl(node);
  while (IsA(column, RelabelType)) column = (Node*)((RelabelType*)column)->arg;
  if (!IsA(column, Var) || ((Var*)column)->varlevelsup != 1) return NULL;
  ((Var*)column)->varlevelsup = 0;
  column = flatten_join_columns(level->outer->query, column);
  while (IsA(column, RelabelType)) column = (Node*)((RelabelType*)column)->arg;
  const Var* found = IsA(column, Var) ? (const Var*)column : NULL;
  return found != NULL && found->varlevelsup == 0 && found->varattno > 0 ? found : NULL;
}

bool is_plain_equality(const OpExpr* test) {
  if (list_length(test->args) != 2) return false;
  const Oid type = exprType((const Node*)linitial(test->args));
  return lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr == test->opno;
}

bool as_match(const QueryLevel* level, Node* condition, Match* match) {
  if (!IsA(condition, OpExpr) || !is_plain_equality((OpExpr*)condition)) return false;
  OpExpr* test = (OpExpr*)condition;
  for (int side = 0; side < 2; side++) {
    Node* inner = (Node*)list_nth(test->args, side);
    const Var* outer = column_around(level, (Node*)list_nth(test->args, 1 - side));
    const bool within = outer != NULL && !refers_around(inner) && contain_vars_of_level(inner, 0) &&
                        !contain_subplans(inner) && !contain_volatile_functions(inner);
    if (!within) continue;
    *match = {test, side, outer};
    return true;
  }
  return false;
}

bool has_outer_join(const Node* node) {
  if (IsA(node, FromExpr)) {
    const ListCell* cell;
    foreach (cell, ((const FromExpr*)node)->fromlist) {
      if (has_outer_join((const Node*)lfirst(cell))) return true;
    }
    return false;
  }
  if (!IsA(node, JoinExpr)) return false;
  const JoinExpr* join = (const JoinExpr*)node;
  return join->jointype != JOIN_INNER || has_outer_join(join->larg) || has_outer_join(join->rarg);
}

bool is_never_null(const RangeTblEntry* entry, AttrNumber column) {
  return !has_subclass(entry->relid) && keeps_out_nulls(entry->relid, column);
}

bool mentions(Node* node, const List* columns) {
  const ListCell* cell;
  foreach (cell, pull_vars_of_level(node, 0)) {
    if (list_member(columns, lfirst(cell))) return true;
  }
  return false;
}

struct Reading {
  List* matches;               // of Match*
  List* others;                // conditions
  const RangeTblEntry* table;  // around
};

// Whether it is a correlation with one public table, and nothing else.
bool read_correlation(const QueryLevel* level, Reading* reading) {
  Query* query = level->query;
  if (level->outer == NULL || !has_one_value(query)) return false;
  *reading = {};
  List* within = NIL;
  int table = 0;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)query->jointree->quals)) {
    Node* condition = (Node*)lfirst(cell);
    Match* match = (Match*)palloc(sizeof(Match));
    if (!as_match(level, condition, match)) {
      reading->others = lappend(reading->others, condition);
      continue;
    }
    if (table != 0 && match->outer->varno != table) return false;
    table = match->outer->varno;
    reading->matches = lappend(reading->matches, match);
    within = list_concat(within,
                         pull_vars_of_level((Node*)list_nth(match->test->args, match->inner), 0));
  }
  if (table == 0) return false;
  Query* rest = (Query*)copyObjectImpl(query);
  rest->jointree->quals = (Node*)make_ands_explicit((List*)copyObjectImpl(reading->others));
  if (reading->others == NIL) rest->jointree->quals = NULL;
  if (refers_outside(rest) || mentions((Node*)rest->jointree, within)) return false;
  const Query* outer = level->outer->query;
  reading->table = rt_fetch(table, outer->rtable);
  if (!is_table(reading->table) || reading->table->tablesample != NULL || !reading->table->inh ||
      has_outer_join((const Node*)outer->jointree)) {
    return false;
  }
  foreach (cell, reading->matches) {
    if (!is_never_null(reading->table, ((const Match*)lfirst(cell))->outer->varattno)) return false;
  }
  return true;
}

// Grouped -----------------------------------------------------------------------------------------

int add_copy(Query* query, const RangeTblEntry* table) {
  RangeTblEntry* copy = makeNode(RangeTblEntry);  // whose rights are asked for where it was
  copy->rtekind = RTE_RELATION;
  copy->relid = table->relid;
  copy->relkind = table->relkind;
  copy->rellockmode = table->rellockmode;
  copy->inh = copy->inFromCl = true;
  copy->alias = (Alias*)copyObjectImpl(table->alias);
  copy->eref = (Alias*)copyObjectImpl(table->eref);
  query->rtable = lappend(query->rtable, copy);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = list_length(query->rtable);
  query->jointree->fromlist = lappend(query->jointree->fromlist, reference);
  return reference->rtindex;
}

void add_key(Query* query, Var* column) {
  const int number = list_length(query->targetList) + 1;
  Index reference = 1;
  ListCell* cell;
  foreach (cell, query->targetList) {
    reference = Max(reference, lfirst_node(TargetEntry, cell)->ressortgroupref + 1);
  }
  TargetEntry* key = makeTargetEntry((Expr*)column, (AttrNumber)number, NULL, true);
  key->ressortgroupref = reference;
  query->targetList = lappend(query->targetList, key);
  query->groupClause = lappend(query->groupClause, sort_clause(column->vartype, reference));
}

// The column of a table that a condition compares with constants, by operators that private queries
// have; NULL: it is another condition.
Var* compared_with_constants(Node* condition, int table) {
  const bool list = IsA(condition, ScalarArrayOpExpr);
  if (!list && !IsA(condition, OpExpr)) return NULL;
  const Oid op = list ? ((ScalarArrayOpExpr*)condition)->opno : ((OpExpr*)condition)->opno;
  const Oid collation =
      list ? ((ScalarArrayOpExpr*)condition)->inputcollid : ((OpExpr*)condition)->inputcollid;
  List* sides = list ? ((ScalarArrayOpExpr*)condition)->args : ((OpExpr*)condition)->args;
  if (list_length(sides) != 2 || op >= FirstUnpinnedObjectId || !is_comparison(op)) return NULL;
  if (OidIsValid(collation) && !get_collation_isdeterministic(collation)) return NULL;
  Node *column = (Node*)linitial(sides), *value = (Node*)lsecond(sides);
  while (IsA(column, RelabelType)) column = (Node*)((RelabelType*)column)->arg;
  if (!IsA(column, Var) || !IsA(value, Const)) return NULL;
  const bool here = ((Var*)column)->varlevelsup == 0 && ((Var*)column)->varno == table &&
                    ((Var*)column)->varattno > 0 && exprType(value) < FirstUnpinnedObjectId;
  return here ? (Var*)column : NULL;
}

// Other rows of the table are of no interest to what is around.
void take_conditions(const QueryLevel* level, int from, int to) {
  Query* outer = level->outer->query;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)outer->jointree->quals)) {
    Node* condition = flatten_join_columns(outer, (Node*)copyObjectImpl(lfirst(cell)));
    condition = eval_const_expressions(NULL, condition);
    Var* column = compared_with_constants(condition, from);
    if (column == NULL) continue;
    column->varno = to;
    column->varnosyn = 0;
    column->varattnosyn = 0;
    Node** quals = &level->query->jointree->quals;
    *quals = make_and_qual(*quals, condition);
  }
}

}  // namespace

bool follows_public_rows(const QueryLevel* level) {
  Reading reading;
  return read_correlation(level, &reading);
}

PublicCorrelation group_by_public_columns(const QueryLevel* level) {
  Reading reading;
  if (!read_correlation(level, &reading)) elog(ERROR, "a sub-select that follows no public rows");
  Query* query = level->query;
  PublicCorrelation made = {NIL, list_length(query->targetList)};
  query->jointree->quals = reading.others == NIL ? NULL : (Node*)make_ands_explicit(reading.others);
  const int copy = add_copy(query, reading.table);
  int around = 0;
  ListCell* cell;
  foreach (cell, reading.matches) {
    const Match* match = (const Match*)lfirst(cell);
    around = match->outer->varno;
    Var* outer = (Var*)copyObjectImpl(match->outer);
    outer->varlevelsup = 1;
    Var* key = (Var*)copyObjectImpl(match->outer);
    key->varno = copy;
    key->varnosyn = 0;
    key->varattnosyn = 0;
    OpExpr* test = (OpExpr*)copyObjectImpl(match->test);
    Node* side = (Node*)list_nth(test->args, 1 - match->inner);
    Node** place = (Node**)&lfirst(list_nth_cell(test->args, 1 - match->inner));
    *place = IsA(side, RelabelType)
                 ? (Node*)makeRelabelType((Expr*)key, exprType(side), exprTypmod(side),
                                          exprCollation(side), COERCE_IMPLICIT_CAST)
                 : (Node*)key;
    query->jointree->quals = make_and_qual(query->jointree->quals, (Node*)test);
    if (list_member(made.outer, outer)) continue;
    made.outer = lappend(made.outer, outer);
    add_key(query, (Var*)copyObjectImpl(key));
  }
  take_conditions(level, around, copy);
  return made;
}

// What is read of the answer
// ------------------------------------------------------------------------

namespace {

struct RowAnswers {  // those of one sub-select
  Query* query;
  List* keys;       // columns of the answer
  List* outer;      // columns around that they equal
  Node* condition;  // besides
};

OpExpr* equality(Var* key, Var* outer) {
  const Oid op = lookup_type_cache(key->vartype, TYPECACHE_EQ_OPR)->eq_opr;
  Node* left = (Node*)key;
  Node* right = (Node*)copyObjectImpl(outer);
  OpExpr* test = (OpExpr*)make_opclause(op, BOOLOID, false, (Expr*)left, (Expr*)right, InvalidOid,
                                        key->varcollid);
  set_opfuncid(test);
  return test;
}

}  // namespace

void read_group_of_row(const QueryLevel* level, const PublicCorrelation& correlation,
                       StatementAnswers* answers) {
  Query* query = level->query;
  RowAnswers* made = (RowAnswers*)palloc0(sizeof(RowAnswers));
  made->query = query;
  made->outer = correlation.outer;
  made->condition = query->jointree->quals;
  int place = correlation.targets;
  ListCell* cell;
  foreach (cell, correlation.outer) {
    Var* key = castNode(Var, list_nth_node(TargetEntry, query->targetList, place++)->expr);
    made->keys = lappend(made->keys, key);
    query->jointree->quals = make_and_qual(
        query->jointree->quals, (Node*)equality((Var*)copyObjectImpl(key), lfirst_node(Var, cell)));
  }
  query->targetList = list_truncate(query->targetList, correlation.targets);
  answers->by_row = lappend(answers->by_row, made);
}

// Beside private rows
// -------------------------------------------------------------------------------

namespace {

Expr* cast_to(Node* value, Oid type) {
  return (Expr*)coerce_to_target_type(NULL, value, exprType(value), type, -1, COERCION_EXPLICIT,
                                      COERCE_EXPLICIT_CAST, -1);
}

// (SELECT array_agg(value ORDER BY key) FROM the answer)
SubLink* list_of(const RowAnswers* answers, Expr* value, Expr* key, Oid array) {
  const Oid type = exprType((Node*)value);
  Aggref* listed = aggregate_call(F_ARRAY_AGG_ANYNONARRAY, array, list_make1(value));
  listed->aggargtypes = list_make1_oid(type);
  TargetEntry* order = makeTargetEntry((Expr*)copyObjectImpl(key), 2, NULL, true);
  order->ressortgroupref = 1;
  listed->args = lappend(listed->args, order);
  listed->aggorder = list_make1(sort_clause(exprType((Node*)key), 1));
  Query* query = (Query*)copyObjectImpl(answers->query);
  query->jointree->quals = (Node*)copyObjectImpl(answers->condition);
  query->targetList = list_make1(makeTargetEntry((Expr*)listed, 1, pstrdup("listed"), false));
  query->hasAggs = true;
  SubLink* link = makeNode(SubLink);
  link->subLinkType = EXPR_SUBLINK;
  link->subselect = (Node*)query;
  link->location = -1;
  return link;
}

Node* look_up(const SubLink* link, const RowAnswers* answers) {
  Node* value = (Node*)linitial_node(TargetEntry, answers->query->targetList)->expr;
  const Oid type = exprType(value);
  const bool fits = link->subLinkType == EXPR_SUBLINK && list_length(answers->keys) == 1 &&
                    is_integer(linitial_node(Var, answers->keys)->vartype) && is_number(type);
  if (!fits) {
    refuse_construct(
        "a sub-select with an answer for each row of a public table, beside rows of "
        "people, is",
        "It is one number, compared by one column of whole numbers. Ask it grouped "
        "first, keep what comes back in a public table, and join that.");
  }
  Expr* key = cast_to((Node*)copyObjectImpl(linitial(answers->keys)), INT8OID);
  // NULL is no element of the list: NaN is, and is NULL again when it is looked up.
  Expr* number = first_known(cast_to((Node*)copyObjectImpl(value), FLOAT8OID),
                             (Expr*)constant(FLOAT8OID, InvalidOid, nan_of(FLOAT8OID)));
  Var* outer = (Var*)copyObjectImpl(linitial(answers->outer));
  outer->varlevelsup = 0;
  Expr* found = call_dpmix("answer_of", FLOAT8OID,
                           list_make3(cast_to((Node*)outer, INT8OID),
                                      list_of(answers, key, key, get_array_type(INT8OID)),
                                      list_of(answers, number, key, get_array_type(FLOAT8OID))));
  return (Node*)cast_to((Node*)found, type);
}

Node* looked_up(Node* node, void* arg) {
  if (node == NULL || IsA(node, Query)) return node;
  const StatementAnswers* answers = (const StatementAnswers*)arg;
  if (IsA(node, SubLink)) {
    const ListCell* cell;
    foreach (cell, answers->by_row) {
      const RowAnswers* one = (const RowAnswers*)lfirst(cell);
      if (((SubLink*)node)->subselect == (Node*)one->query) return look_up((SubLink*)node, one);
    }
  }
  return mutate_expression(node, looked_up, arg);
}

}  // namespace

void look_up_answers(const QueryLevel* level, StatementAnswers* answers) {
  if (answers->by_row == NIL || !has_private_rows(level)) return;
  Query* query = level->query;
  query->targetList = (List*)looked_up((Node*)query->targetList, answers);
  query->jointree = (FromExpr*)looked_up((Node*)query->jointree, answers);
  query->havingQual = looked_up(query->havingQual, answers);
}

}  // namespace dpmix::pg
