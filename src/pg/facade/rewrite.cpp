#include "pg/facade/rewrite.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/citus/unread_tables.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/facade/block.hpp"
#include "pg/facade/error_bars.hpp"
#include "pg/facade/hidden_cells.hpp"
#include "pg/facade/layers.hpp"
#include "pg/facade/public_correlation.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/facade/settings.hpp"
#include "pg/facade/value_or_null.hpp"
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

struct References {  // those to a query of WITH
  const char* name;
  int depth;  // how many queries the one at hand is below the one that has WITH
  int count;
};

bool count_references(Node* node, void* arg) {
  if (node == NULL) return false;
  References* references = (References*)arg;
  if (IsA(node, RangeTblEntry)) {
    const RangeTblEntry* entry = (const RangeTblEntry*)node;
    references->count += entry->rtekind == RTE_CTE && !entry->self_reference &&
                         (int)entry->ctelevelsup == references->depth &&
                         strcmp(entry->ctename, references->name) == 0;
    return false;
  }
  if (!IsA(node, Query)) return walk_expression(node, count_references, arg);
  references->depth++;
  (void)walk_with_entries((Query*)node, count_references, arg);
  references->depth--;
  return false;
}

// Drops queries of WITH that only queries read which were flattened, or copied. PostgreSQL would
// leave them out, too. Later ones read those before them.
void drop_unread(Query* query) {
  for (int i = list_length(query->cteList) - 1; i >= 0; i--) {
    CommonTableExpr* common = list_nth_node(CommonTableExpr, query->cteList, i);
    References references = {common->ctename, -1, 0};
    (void)count_references((Node*)query, &references);
    common->cterefcount = references.count;
    const bool acts =
        !IsA(common->ctequery, Query) || ((Query*)common->ctequery)->commandType != CMD_SELECT;
    if (references.count == 0 && !acts) query->cteList = list_delete_nth_cell(query->cteList, i);
  }
}

// Rewrites queries from the inside out: what is left of an inner query then are rows, or results.
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
  look_up_answers(level, answers);
  if (aggregates_rows(query) && has_private_rows(level)) {
    if (follows_public_rows(level)) {
      const PublicCorrelation correlation = group_by_public_columns(level);
      replace_block(level, answers);
      read_group_of_row(level, correlation, answers);
    } else if (!is_layer(level)) {
      replace_block(level, answers);
    }
  }
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

void tell_all_shown(const StatementAnswers* answers) {
  if (answers->calls == NIL || answers->all_shown == NULL || plain_suppressed_share() <= 0) return;
  ereport(NOTICE,
          (errmsg("dpmix: dpmix.suppress hides no cell of this statement: %s", answers->all_shown),
           errhint("Look at dpmix.low(...) and dpmix.high(...) of its cells.")));
}

// Citus sends a statement that reads a table of its own to other nodes, with the answers.
List* without_unread_tables(Query* query) {
  List* unread = take_unread_tables(query);
  if (reads_tables_of_citus(query) && has_values_or_nulls((Node*)query)) {
    refuse(ErrorCode::query_not_allowed,
           "computing with private results beside a table that Citus keeps is not allowed",
           "Citus sends such a statement to other nodes, as text.",
           "Store the results first (CREATE TABLE ... AS), or select the aggregates themselves.");
  }
  return unread;
}

planner_hook_type planner_before = NULL;

PlannedStmt* plan(Query* query, const char* text, int options, ParamListInfo parameters) {
  List *tables = NIL, *unread = NIL;
  if (!in_release_process() && have_facades()) {
    const StatementAnswers answers = rewrite_statement(query);
    tables = answers.tables;
    tell_all_shown(&answers);
    if (answers.calls != NIL || reads_answers((Node*)query)) unread = without_unread_tables(query);
  }
  PlannedStmt* planned = planner_before != NULL
                             ? planner_before(query, text, options, parameters)
                             : standard_planner(query, text, options, parameters);
  put_unread_tables(unread, planned);
  // A cached plan ends with a change of what its texts read.
  planned->relationOids = list_concat_unique_oid(planned->relationOids, tables);
  return planned;
}

}  // namespace

StatementAnswers rewrite_statement(Query* statement) {
  StatementAnswers answers = {};
  answers.statement = statement;
  if (!find_facade((Node*)statement, NULL)) return answers;
  answers.widths = has_shown_cells(statement);
  const QueryLevel level = {statement, NULL, 0};
  rewrite_level(&level, &answers);
  if (answers.calls == NIL) return answers;
  (void)refuse_rows((Node*)statement, NULL);
  refuse_placeholders((Node*)statement);
  hide_uncertain_cells(&answers);
  return answers;
}

void plain_rewrite_init() {
  planner_before = planner_hook;
  planner_hook = plan;
}

}  // namespace dpmix::pg
