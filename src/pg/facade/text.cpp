#include "pg/facade/text.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/aggregates.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/facade/constant_subselects.hpp"
#include "pg/facade/layers.hpp"
#include "pg/facade/moments.hpp"
#include "pg/facade/private_tables.hpp"
#include "pg/query/partial/exact_query.hpp"
#include "pg/trees/ages.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "storage/lmgr.h"
}

namespace dpmix::pg {
namespace {

struct Writing {
  const PrivateTables* tables;  // NULL: columns are those of tables already, at all levels
  List* real;                   // Params and sub-selects of the statement, each once
  List* stable;                 // expressions, each once
  bool question;                // stable expressions stay as they are
};

// What PostgreSQL computes before it calls us.
bool is_value_of_caller(const Node* node) {
  return is_statement_parameter(node) || is_settled_subselect(node);
}

// The same beside layers, which have sub-selects of their own.
bool is_value_beside_layers(Node* node) {
  if (is_statement_parameter(node)) return true;
  return IsA(node, SubLink) && ((SubLink*)node)->subLinkType == EXPR_SUBLINK &&
         is_settled_subselect(node) && reads_answers(node);
}

bool collect_parameters(Node* node, void* arg) {
  if (node == NULL) return false;
  if (is_value_of_caller(node)) {
    (void)add_once((List**)arg, node);
    return false;
  }
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

Node* as_in_text(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Writing* writing = (Writing*)arg;
  if (IsA(node, Var)) {
    return writing->tables == NULL ? (Node*)copyObjectImpl(node)
                                   : (Node*)column_in_text(writing->tables, (Var*)node);
  }
  if (IsA(node, Query)) return (Node*)mutate_query((Query*)node, as_in_text, arg);
  if (writing->tables == NULL ? is_value_beside_layers(node) : is_value_of_caller(node)) {
    return (Node*)parameter_for(node, add_once(&writing->real, node));
  }
  if (IsA(node, OpExpr)) {
    OpExpr* windowed = in_column_time((OpExpr*)node);
    if (windowed != NULL) return mutate_expression((Node*)windowed, as_in_text, arg);
  }
  if (IsA(node, FuncExpr)) {
    FuncExpr* age = age_from_today((FuncExpr*)node);
    if (age != NULL) return mutate_expression((Node*)age, as_in_text, arg);
  }
  if (IsA(node, SubLink) && writing->tables != NULL) {
    refuse_construct("a subquery in an expression over private rows is",
                     "Compare columns with constants or parameters, or join public tables.");
  }
  if (IsA(node, Param) && ((Param*)node)->paramkind != PARAM_SUBLINK) {
    refuse_construct("an internal parameter is", "Join the tables.");
  }
  if (!writing->question && is_stable_value(node)) {
    const int number = list_length(writing->real) + add_once(&writing->stable, node);
    return (Node*)parameter_for(node, number);
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

// Keys, then aggregates.
void write_columns(const Parts& parts, Writing* writing, Query* made) {
  ListCell* cell;
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
}

Query* written(const Parts& parts, Writing* writing) {
  Query* made = makeNode(Query);
  made->commandType = CMD_SELECT;
  made->canSetTag = made->hasAggs = true;
  put_tables(writing->tables, parts.query, made);
  ListCell* cell;
  foreach (cell, made->jointree->fromlist) (void)joins_as_in_text((Node*)lfirst(cell), writing);
  made->jointree->quals = parts.without_filter ? NULL : as_in_text(made->jointree->quals, writing);
  write_columns(parts, writing, made);
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

// Layers -----------------------------------------------------------------------------------------

namespace {

// A value of the caller's session is none that reads private rows: those were left where they are.
bool collect_values(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Query)) return walk_query((Query*)node, collect_values, arg);
  if (is_value_beside_layers(node)) {
    (void)add_once((List**)arg, node);
    return false;
  }
  return walk_expression(node, collect_values, arg);
}

bool unlock_entry(Node* node, void* arg) {
  if (node == NULL) return false;
  int* depth = (int*)arg;
  if (IsA(node, RangeTblEntry)) {
    const RangeTblEntry* entry = (const RangeTblEntry*)node;
    for (int i = 0; entry->rtekind == RTE_RELATION && i < *depth; i++) {
      UnlockRelationOid(entry->relid, AccessShareLock);
    }
    return false;
  }
  if (!IsA(node, Query)) return walk_expression(node, unlock_entry, arg);
  ++*depth;
  (void)walk_with_entries((Query*)node, unlock_entry, arg);
  --*depth;
  return false;
}

// Printing a query locks its tables, and those of all queries within, which are then printed
// likewise; the process that reads them does so again.
void unlock_named(Query* written) {
  int depth = 0;
  (void)unlock_entry((Node*)written, &depth);
}

}  // namespace

PrivateText layered_text(const QueryLevel* level, const PrivateKeys& keys, const List* aggregates) {
  // Keys and aggregates go along as columns while facades become tables.
  Query* asked = makeNode(Query);
  *asked = *level->query;
  asked->targetList = NIL;
  asked->groupClause = asked->sortClause = asked->distinctClause = NIL;
  asked->groupingSets = NIL;
  asked->havingQual = asked->limitCount = asked->limitOffset = NULL;
  asked->hasAggs = true;
  asked->cteList = level->query->cteList;
  const ListCell *key, *clause;
  forboth(key, keys.expressions, clause, keys.clauses) {
    SortGroupClause* grouped = (SortGroupClause*)copyObjectImpl(lfirst(clause));
    grouped->tleSortGroupRef = (Index)list_length(asked->groupClause) + 1;
    asked->groupClause = lappend(asked->groupClause, grouped);
    add_column(asked, (Expr*)copyObjectImpl(lfirst(key)), grouped->tleSortGroupRef);
  }
  asked->groupingSets = sets_as_in_text(keys, keys.sets);
  const ListCell* cell;
  foreach (cell, aggregates) {
    Expr* value = (Expr*)copyObjectImpl(lfirst(cell));
    if (IsA(value, GroupingFunc)) {
      GroupingFunc* grouping = (GroupingFunc*)value;
      grouping->refs = references_as_in_text(keys, grouping->refs);
    }
    add_column(asked, value, 0);
  }
  PrivateText made = {};
  const QueryLevel over = {asked, level->outer, level->depth};
  Query* query = over_tables(&over, &made.tables, &made.facades);
  Writing writing = {NULL, NIL, NIL, false};
  (void)collect_values((Node*)query, &writing.real);
  const auto text = [&](Writing* how) {
    Query* written = mutate_query((Query*)copyObjectImpl(query), as_in_text, how);
    const int count = list_length(keys.expressions);
    ListCell* target;
    foreach (target, written->targetList) {
      TargetEntry* entry = lfirst_node(TargetEntry, target);
      if (entry->resno > count && !IsA(entry->expr, GroupingFunc)) {
        entry->expr = private_value(entry->expr);
      }
    }
    const char* made_text = text_of_query(written);
    unlock_named(written);
    return made_text;
  };
  made.text = text(&writing);
  made.real = list_length(writing.real);
  if (writing.stable != NIL) {
    Writing question = {NULL, writing.real, NIL, true};
    made.question = text(&question);
  }
  made.parameters = list_concat(writing.real, writing.stable);
  return made;
}

}  // namespace dpmix::pg
