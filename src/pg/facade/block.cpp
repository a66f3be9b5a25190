#include "pg/facade/block.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/aggregates.hpp"
#include "pg/facade/answer_rows.hpp"
#include "pg/facade/constant_subselects.hpp"
#include "pg/facade/error_bars.hpp"
#include "pg/facade/flatten.hpp"
#include "pg/facade/layers.hpp"
#include "pg/facade/memberships.hpp"
#include "pg/facade/value_or_null.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

struct Block {
  List* keys;
  List* clauses;     // those of keys
  List* sets;        // GROUPING SETS, ROLLUP and CUBE, of references of clauses
  List* aggregates;  // aggregates, ends of their intervals, and GROUPING, each once
  int depth;         // how many queries the expression at hand is below the block
};

bool is_computed_from_rows(Node* node) {
  return contain_vars_of_level(node, 0);
}

void add_key(Block* block, const SortGroupClause* clause, const List* targets) {
  Node* key = get_sortgroupclause_expr((SortGroupClause*)clause, (List*)targets);
  if (contain_windowfuncs(key) || contain_aggs_of_level(key, 0) || expression_returns_set(key)) {
    refuse_construct("DISTINCT of anything but columns of rows is",
                     "GROUP BY the columns, and compute above.");
  }
  if (block->sets != NIL && !is_computed_from_rows(key)) {
    refuse_construct("a grouping set of a key that is the same for all rows is",
                     "Leave it out, and compute it above.");
  }
  if (block->sets != NIL && list_member(block->keys, key)) {
    refuse_construct("a key that grouping sets name as two columns is",
                     "Select it once, and repeat it above.");
  }
  // What is the same for all rows makes no groups.
  if (!is_computed_from_rows(key) || list_member(block->keys, key)) return;
  block->keys = lappend(block->keys, copyObjectImpl(key));
  block->clauses = lappend(block->clauses, (void*)clause);
}

void check_clauses(const Query* query) {
  if (query->hasDistinctOn && !query->hasAggs && query->groupClause == NIL) {
    refuse_construct("DISTINCT ON is", "Use GROUP BY: every group comes back once.");
  }
  if (query->rowMarks != NIL || query->hasForUpdate) {
    refuse_construct("a row lock (FOR UPDATE, FOR SHARE) is", "Leave it out.");
  }
}

void read_keys(const Query* query, Block* block) {
  const bool distinct = !query->hasAggs && query->groupClause == NIL &&
                        query->groupingSets == NIL && query->havingQual == NULL;
  block->sets = query->groupingSets;
  ListCell* cell;
  foreach (cell, distinct ? query->distinctClause : query->groupClause) {
    add_key(block, lfirst_node(SortGroupClause, cell), query->targetList);
  }
}

// An expression of the block as it is written in a query so far below; and back.
Node* at_depth(const Node* node, int depth) {
  Node* copy = (Node*)copyObjectImpl(node);
  if (depth != 0) IncrementVarSublevelsUp(copy, depth, depth > 0 ? 0 : -depth);
  return copy;
}

int find_below(const List* known, const Node* node, int depth) {
  int place = 0;
  const ListCell* cell;
  foreach (cell, known) {
    const Node* one = (const Node*)lfirst(cell);
    if (equal(depth == 0 ? (void*)one : (void*)at_depth(one, depth), node)) return place;
    place++;
  }
  return -1;
}

bool is_aggregate(Node* node, int depth) {
  if (IsA(node, Aggref)) return ((Aggref*)node)->agglevelsup == (Index)depth;
  return is_interval_of_aggregates(node, depth);
}

bool is_grouping(const Node* node, int depth) {
  return IsA(node, GroupingFunc) && ((const GroupingFunc*)node)->agglevelsup == (Index)depth;
}

Var* answer_column(int place, const Node* like, int depth) {
  return makeVar(1, (AttrNumber)(place + 1), exprType(like), exprTypmod(like), exprCollation(like),
                 (Index)depth);
}

int place_of_aggregate(Block* block, Node* aggregate) {
  int place = find_below(block->aggregates, aggregate, 0);
  if (place >= 0) return place;
  block->aggregates = lappend(block->aggregates, aggregate);
  return list_length(block->aggregates) - 1;
}

Var* aggregate_in_answer(Block* block, Node* node) {
  const int place = place_of_aggregate(block, at_depth(node, -block->depth));
  return answer_column(aggregate_column(list_length(block->keys), place), node, block->depth);
}

Node* over_answer(Node* node, void* arg);

Expr* shown_over_answer(Block* block, const FuncExpr* call) {
  Var* cell = aggregate_in_answer(block, (Node*)aggregate_of_shown(call));
  Var* width =
      makeVar(1, (AttrNumber)(cell->varattno + 1), FLOAT8OID, -1, InvalidOid, (Index)block->depth);
  FuncExpr* over = makeNode(FuncExpr);
  *over = *call;
  over->args = (List*)over_answer((Node*)call->args, block);
  return shown_cell(over, cell, width);
}

Node* over_answer(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Block* block = (Block*)arg;
  if (IsA(node, Query)) {
    block->depth++;
    Node* made = (Node*)mutate_query((Query*)node, over_answer, arg);
    block->depth--;
    return made;
  }
  const int key = IsA(node, List) || IsA(node, TargetEntry) || IsA(node, Const)
                      ? -1
                      : find_below(block->keys, node, block->depth);
  if (key >= 0) return (Node*)answer_column(key, node, block->depth);
  if (is_aggregate(node, block->depth) || (block->sets != NIL && is_grouping(node, block->depth))) {
    return (Node*)aggregate_in_answer(block, node);
  }
  if (is_shown_of_aggregate(node, block->depth)) {
    return (Node*)shown_over_answer(block, (const FuncExpr*)node);
  }
  if (is_grouping(node, block->depth) && block->sets == NIL) {
    return (Node*)constant(INT4OID, InvalidOid, Int32GetDatum(0));
  }
  if (IsA(node, FuncExpr) && is_interval_end(((FuncExpr*)node)->funcid)) {
    refuse_construct("low or high of something other than aggregates is",
                     "Write dpmix.low(count(*), 0.95): what is answered, then the level.");
  }
  if (IsA(node, Var) && ((Var*)node)->varlevelsup == (Index)block->depth) {
    refuse_construct("a column that is neither a group key nor inside of a dp_* aggregate is",
                     "Group by it, or aggregate it.");
  }
  return mutate_expression(node, over_answer, arg);
}

bool reads_rows(Node* node, void* arg) {
  if (node == NULL) return false;
  const Block* block = (const Block*)arg;
  if (!IsA(node, List) && find_below(block->keys, node, 0) >= 0) return false;
  if (IsA(node, SubLink)) return !is_settled_subselect(node);
  if (IsA(node, Var) || IsA(node, Aggref)) return true;
  return walk_expression(node, reads_rows, arg);
}

// Keys alone: their public values are free. A condition over keys is one over these values.
AnswerMode values_mode(const Query* query, const Block* block) {
  const List* from = query->jointree->fromlist;
  if (list_length(from) != 1 || !IsA(linitial(from), RangeTblRef)) {
    return AnswerMode::filtered_values;
  }
  return reads_rows(query->jointree->quals, (void*)block) ? AnswerMode::filtered_values
                                                          : AnswerMode::values;
}

bool has_aggregate(const List* values) {
  const ListCell* cell;
  foreach (cell, values) {
    if (!IsA(lfirst(cell), GroupingFunc)) return true;
  }
  return false;
}

Aggref* count_of_rows() {
  const Oid* none = NULL;
  List* name = list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup("dp_count")));
  return aggregate_call(LookupFuncName(name, 0, none, false), INT8OID, NIL);
}

// Makes the query read the answer, and check the permissions that it checked before.
void read_answer(Query* query, RangeTblEntry* answer, Node* condition) {
  List* permissions = permission_entries(query);
  query->rtable = permissions;
  query->jointree = makeFromExpr(NIL, condition);
  if (answer != NULL) {
    query->rtable = lcons(answer, permissions);
    RangeTblRef* reference = makeNode(RangeTblRef);
    reference->rtindex = 1;
    query->jointree->fromlist = list_make1(reference);
  }
  query->groupClause = NIL;
  query->groupingSets = NIL;
  query->groupDistinct = false;
  query->havingQual = NULL;
  query->hasAggs = false;
}

}  // namespace

void replace_block(const QueryLevel* level, StatementAnswers* answers) {
  Query* query = level->query;
  check_clauses(query);
  inline_group_columns(query);
  const bool layered = reads_layers(level);
  if (layered) {
    flatten_columns(query);
  } else {
    flatten_rows(level);
  }
  Block block = {};
  read_keys(query, &block);
  Node* chosen =
      block.sets == NIL && !layered ? take_memberships(level, answers, block.keys) : NULL;
  if (chosen != NULL) query->havingQual = make_and_qual(query->havingQual, chosen);
  Node* targets = over_answer((Node*)query->targetList, &block);
  Node* having = over_answer(query->havingQual, &block);
  refuse_placeholders(targets);
  refuse_placeholders(having);
  query->targetList = (List*)with_values_or_nulls(targets);
  Node* condition = with_values_or_nulls(having);
  if (block.keys == NIL && block.aggregates == NIL) {
    read_answer(query, NULL, condition);
    return;
  }
  AnswerMode mode = AnswerMode::aggregates;
  if (block.sets != NIL && !has_aggregate(block.aggregates)) {
    refuse_construct("GROUPING SETS, ROLLUP or CUBE without an aggregate is", "Add count(*).");
  }
  if (block.aggregates == NIL) {
    mode = layered ? AnswerMode::filtered_values : values_mode(query, &block);
    block.aggregates = list_make1(count_of_rows());
    if (mode == AnswerMode::values && query->jointree->quals != NULL) {
      condition = make_and_qual(condition, over_answer(query->jointree->quals, &block));
    }
  }
  const PrivateKeys asked = {block.keys, block.clauses, block.sets, query->groupDistinct};
  const PrivateText text =
      layered ? layered_text(level, asked, block.aggregates)
              : private_text(query, asked, block.aggregates, mode == AnswerMode::values);
  const int keys = list_length(block.keys);
  const AnswerShape shape = {keys, block.sets == NIL ? keys : -1,
                             with_widths(block.keys, block.aggregates)};
  read_answer(query, answer_entry(answers, text, mode, shape, level->depth), condition);
}

}  // namespace dpmix::pg
