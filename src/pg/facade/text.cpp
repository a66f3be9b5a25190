#include "pg/facade/text.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/aggregates.hpp"
#include "pg/facade/moments.hpp"
#include "pg/facade/private_tables.hpp"
#include "pg/query/partial_query.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
}

namespace dpmix::pg {
namespace {

struct Writing {
  const PrivateTables* tables;
  List* real;     // Params of the statement, each once
  List* stable;   // expressions, each once
  bool question;  // stable expressions stay as they are
};

int add_once(List** list, Node* node) {
  int place = 1;
  ListCell* cell;
  foreach (cell, *list) {
    if (equal(lfirst(cell), node)) return place;
    place++;
  }
  *list = lappend(*list, copyObjectImpl(node));
  return place;
}

bool is_statement_parameter(const Node* node) {
  return IsA(node, Param) && ((const Param*)node)->paramkind == PARAM_EXTERN;
}

bool collect_parameters(Node* node, void* arg) {
  if (node == NULL) return false;
  if (is_statement_parameter(node)) (void)add_once((List**)arg, node);
  return walk_expression(node, collect_parameters, arg);
}

bool is_bound_to_its_place(Node* node, void* arg) {
  if (node == NULL) return false;
  switch (nodeTag(node)) {
    case T_Var:
    case T_Aggref:
    case T_SubLink:
    case T_WindowFunc:
    case T_GroupingFunc:
    case T_CaseTestExpr:
    case T_CoerceToDomainValue:
    case T_PlaceHolderVar:
    case T_CurrentOfExpr:
    case T_Query:
      return true;
    case T_Param:
      return !is_statement_parameter(node);
    default:
      return walk_expression(node, is_bound_to_its_place, arg);
  }
}

// The same for every row of a statement, but not of every statement.
bool is_stable_value(Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_TargetEntry:
    case T_CaseWhen:
    case T_Const:
    case T_Param:
    case T_FromExpr:
    case T_JoinExpr:
    case T_RangeTblRef:
      return false;
    default:
      return !is_bound_to_its_place(node, NULL) && contain_mutable_functions(node) &&
             !contain_volatile_functions(node) && !expression_returns_set(node);
  }
}

Param* parameter(const Node* value, int number) {
  Param* made = makeNode(Param);
  made->paramkind = PARAM_EXTERN;
  made->paramid = number;
  made->paramtype = exprType(value);
  made->paramtypmod = exprTypmod(value);
  made->paramcollid = exprCollation(value);
  made->location = -1;
  return made;
}

Node* as_in_text(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Writing* writing = (Writing*)arg;
  if (IsA(node, Var)) return (Node*)column_in_text(writing->tables, (Var*)node);
  if (is_statement_parameter(node)) return (Node*)parameter(node, add_once(&writing->real, node));
  if (IsA(node, OpExpr)) {
    OpExpr* windowed = in_column_time((OpExpr*)node);
    if (windowed != NULL) return mutate_expression((Node*)windowed, as_in_text, arg);
  }
  if (IsA(node, SubLink)) {
    refuse_construct("a subquery in an expression over private rows is",
                     "Compare columns with constants or parameters, or join public tables.");
  }
  if (IsA(node, WindowFunc)) {
    refuse_construct("a window function over private rows is", "Aggregate first.");
  }
  if (IsA(node, Param)) {
    refuse_construct("an internal parameter is", "Join the tables.");
  }
  if (!writing->question && is_stable_value(node)) {
    return (Node*)parameter(node, list_length(writing->real) + add_once(&writing->stable, node));
  }
  return mutate_expression(node, as_in_text, arg);
}

Node* joins_as_in_text(Node* node, Writing* writing) {
  if (!IsA(node, JoinExpr)) return node;
  JoinExpr* join = (JoinExpr*)node;
  join->larg = joins_as_in_text(join->larg, writing);
  join->rarg = joins_as_in_text(join->rarg, writing);
  join->quals = as_in_text(join->quals, writing);
  return node;
}

struct Parts {
  const Query* query;
  const PrivateKeys& keys;
  const List* aggregates;
  bool without_filter;
};

void add_column(Query* made, Expr* value, Index reference) {
  const int number = list_length(made->targetList) + 1;
  TargetEntry* entry = makeTargetEntry(value, number, psprintf("c%d", number), false);
  entry->ressortgroupref = reference;
  made->targetList = lappend(made->targetList, entry);
}

// References of keys in the statement, as those of the text.
List* references_as_in_text(const PrivateKeys& keys, const List* references) {
  List* made = NIL;
  const ListCell* cell;
  foreach (cell, references) {
    int place = 1;
    const ListCell* clause;
    foreach (clause, keys.clauses) {
      if (lfirst_node(SortGroupClause, clause)->tleSortGroupRef == (Index)lfirst_int(cell)) break;
      place++;
    }
    made = lappend_int(made, place);
  }
  return made;
}

List* sets_as_in_text(const PrivateKeys& keys, const List* sets) {
  List* made = NIL;
  const ListCell* cell;
  foreach (cell, sets) {
    const GroupingSet* set = lfirst_node(GroupingSet, cell);
    const bool nested = set->kind != GROUPING_SET_EMPTY && set->kind != GROUPING_SET_SIMPLE;
    List* content =
        nested ? sets_as_in_text(keys, set->content) : references_as_in_text(keys, set->content);
    made = lappend(made, makeGroupingSet(set->kind, content, -1));
  }
  return made;
}

GroupingFunc* grouping_as_in_text(const PrivateKeys& keys, const GroupingFunc* call,
                                  Writing* writing) {
  GroupingFunc* made = makeNode(GroupingFunc);
  made->args = (List*)as_in_text((Node*)call->args, writing);
  made->refs = references_as_in_text(keys, call->refs);
  made->location = -1;
  return made;
}

Query* written(const Parts& parts, Writing* writing) {
  Query* made = makeNode(Query);
  made->commandType = CMD_SELECT;
  made->canSetTag = made->hasAggs = true;
  put_tables(writing->tables, parts.query, made);
  ListCell* cell;
  foreach (cell, made->jointree->fromlist) (void)joins_as_in_text((Node*)lfirst(cell), writing);
  made->jointree->quals = parts.without_filter ? NULL : as_in_text(made->jointree->quals, writing);
  const ListCell *key, *clause;
  forboth(key, parts.keys.expressions, clause, parts.keys.clauses) {
    SortGroupClause* grouped = (SortGroupClause*)copyObjectImpl(lfirst(clause));
    grouped->tleSortGroupRef = (Index)list_length(made->groupClause) + 1;
    made->groupClause = lappend(made->groupClause, grouped);
    add_column(made, (Expr*)as_in_text((Node*)lfirst(key), writing), grouped->tleSortGroupRef);
  }
  made->groupingSets = sets_as_in_text(parts.keys, parts.keys.sets);
  made->groupDistinct = parts.keys.distinct;
  foreach (cell, parts.aggregates) {
    Node* value = (Node*)lfirst(cell);
    Expr* written = IsA(value, GroupingFunc) ? (Expr*)grouping_as_in_text(
                                                   parts.keys, (const GroupingFunc*)value, writing)
                                             : private_value((Expr*)as_in_text(value, writing));
    add_column(made, written, 0);
  }
  return made;
}

const char* text_of(const Parts& parts, Writing* writing) {
  Query* made = written(parts, writing);
  // Naming the tables locks them once more.
  const char* text = text_of_query(made);
  unlock_tables(writing->tables);
  unlock_tables(writing->tables);
  return text;
}

}  // namespace

PrivateText private_text(const Query* query, const PrivateKeys& keys, const List* aggregates,
                         bool without_filter) {
  const PrivateTables tables = private_tables(query);
  const Parts parts = {query, keys, aggregates, without_filter};
  Writing writing = {&tables, NIL, NIL, false};
  // All of them first: values of stable expressions are numbered after them.
  (void)collect_parameters((Node*)query->jointree, &writing.real);
  (void)collect_parameters((Node*)keys.expressions, &writing.real);
  (void)collect_parameters((Node*)aggregates, &writing.real);
  PrivateText made = {};
  made.text = text_of(parts, &writing);
  made.real = list_length(writing.real);
  if (writing.stable != NIL) {
    Writing question = {&tables, writing.real, NIL, true};
    made.question = text_of(parts, &question);
  }
  made.parameters = list_concat(writing.real, writing.stable);
  for (int i = 0; i < tables.count; i++) {
    made.tables = list_append_unique_oid(made.tables, tables.table[i].relation);
    const Facade* facade = tables.table[i].facade;
    if (facade != NULL) made.facades = list_append_unique_oid(made.facades, facade->view);
  }
  return made;
}

}  // namespace dpmix::pg
