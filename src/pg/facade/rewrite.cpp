#include "pg/facade/rewrite.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/block.hpp"
#include "pg/facade/catalog.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/process/worker.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "optimizer/planner.h"
}

namespace dpmix::pg {
namespace {

struct Walk {
  const QueryLevel* level;
  StatementAnswers* answers;
};

void rewrite_level(const QueryLevel* level, StatementAnswers* answers);

bool rewrite_sublinks(Node* node, void* arg) {
  if (node == NULL) return false;
  const Walk* walk = (const Walk*)arg;
  if (IsA(node, Query)) {
    const QueryLevel inner = {(Query*)node, walk->level, walk->level->depth + 1};
    rewrite_level(&inner, walk->answers);
    return false;
  }
  return walk_expression(node, rewrite_sublinks, arg);
}

void rewrite_inner(Query* query, const Walk* walk) {
  const QueryLevel inner = {query, walk->level, walk->level->depth + 1};
  rewrite_level(&inner, walk->answers);
}

// Of WITH: what only queries read that were flattened. PostgreSQL would leave it out, too.
void drop_unread(Query* query) {
  ListCell* cell;
  foreach (cell, query->cteList) {
    CommonTableExpr* common = lfirst_node(CommonTableExpr, cell);
    const bool read = common->cterefcount > 0 || !IsA(common->ctequery, Query) ||
                      ((Query*)common->ctequery)->commandType != CMD_SELECT;
    if (!read) query->cteList = foreach_delete_current(query->cteList, cell);
  }
}

// From the inside out: what is left of an inner query then are rows, or results.
void rewrite_level(const QueryLevel* level, StatementAnswers* answers) {
  check_stack_depth();
  Query* query = level->query;
  Walk walk = {level, answers};
  ListCell* cell;
  foreach (cell, query->cteList) {
    Node* common = lfirst_node(CommonTableExpr, cell)->ctequery;
    if (IsA(common, Query)) rewrite_inner((Query*)common, &walk);
  }
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY && facade_of_entry(entry) == NULL) {
      rewrite_inner(entry->subquery, &walk);
    }
  }
  (void)walk_expressions_of(query, rewrite_sublinks, &walk);
  if (aggregates_rows(query) && has_private_rows(level)) replace_block(level, answers);
  drop_unread(query);
}

bool find_facade(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, RangeTblEntry)) return facade_of_entry((RangeTblEntry*)node) != NULL;
  if (IsA(node, Query)) return walk_with_entries((Query*)node, find_facade, arg);
  return walk_expression(node, find_facade, arg);
}

// Rows of facades raise when they are read. Beside an answer that would be after its charge.
bool refuse_rows(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, RangeTblEntry)) {
    if (facade_of_entry((RangeTblEntry*)node) == NULL) return false;
    refuse_construct("reading rows of a facade beside its aggregates is",
                     "Ask for aggregates only: count(*), avg(x), with or without GROUP BY.");
  }
  if (!IsA(node, Query)) return walk_expression(node, refuse_rows, arg);
  Query* query = (Query*)node;
  return !reads_nothing(query) && walk_with_entries(query, refuse_rows, arg);
}

planner_hook_type planner_before = NULL;

PlannedStmt* plan(Query* query, const char* text, int options, ParamListInfo parameters) {
  List* tables = NIL;
  if (!in_release_process() && have_facades()) tables = rewrite_statement(query).tables;
  PlannedStmt* planned = planner_before != NULL
                             ? planner_before(query, text, options, parameters)
                             : standard_planner(query, text, options, parameters);
  // A cached plan ends with a change of what its texts read.
  planned->relationOids = list_concat_unique_oid(planned->relationOids, tables);
  return planned;
}

}  // namespace

StatementAnswers rewrite_statement(Query* statement) {
  StatementAnswers answers = {statement, NIL, NIL};
  if (!find_facade((Node*)statement, NULL)) return answers;
  const QueryLevel level = {statement, NULL, 0};
  rewrite_level(&level, &answers);
  if (answers.calls != NIL) (void)refuse_rows((Node*)statement, NULL);
  return answers;
}

void plain_rewrite_init() {
  planner_before = planner_hook;
  planner_hook = plan;
}

}  // namespace dpmix::pg
