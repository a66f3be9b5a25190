#include "pg/query/layers/windows.hpp"

#include "pg/border/compat.hpp"
#include "pg/query/layers/range_frame.hpp"
#include "pg/query/layers/sorting.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

void check_frame(const WindowClause* window) {
  if (has_range_offset(window)) return;
  for (const Node* offset : {window->startOffset, window->endOffset}) {
    if (offset == NULL) continue;
    if (IsA(offset, FuncExpr) && ((const FuncExpr*)offset)->funcid == F_INT8_INT4) {
      offset = (const Node*)linitial(((const FuncExpr*)offset)->args);
    }
    const Const* constant = IsA(offset, Const) ? (const Const*)offset : NULL;
    if (constant == NULL || constant->constisnull || DatumGetInt64(constant->constvalue) < 0) {
      refuse_construct("a frame whose offset is no constant is", "Write it as a number.");
    }
  }
}

// Whether it goes by the order of single rows; others go by peers, which ties make.
bool goes_by_rows(const WindowFunc* call, const WindowClause* window) {
  const char* name = get_func_name(call->winfnoid);
  for (const char* one : {"row_number", "ntile", "lag", "lead"}) {
    if (strcmp(name, one) == 0) return true;
  }
  if ((window->frameOptions & FRAMEOPTION_ROWS) != 0) {
    for (const char* peers : {"rank", "dense_rank", "percent_rank", "cume_dist"}) {
      if (strcmp(name, peers) == 0) return false;
    }
    return true;
  }
  const bool from_start = (window->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) != 0;
  const bool to_end = (window->frameOptions & FRAMEOPTION_END_UNBOUNDED_FOLLOWING) != 0;
  const bool first = strcmp(name, "first_value") == 0;
  if (!first && strcmp(name, "last_value") != 0 && strcmp(name, "nth_value") != 0) return false;
  if (first ? from_start : from_start && to_end) return true;
  refuse_construct(psprintf("%s over a frame that ends with rows that tie is", name),
                   "Add ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING to its window.");
}

struct Calls {  // those of one window
  const WindowClause* window;
  Index moved;  // to this one go those that go by rows; 0: they stay
  bool by_rows, by_peers;
};

bool visit_calls(Node* node, void* arg) {
  if (node == NULL) return false;
  Calls* calls = (Calls*)arg;
  if (IsA(node, WindowFunc) && ((WindowFunc*)node)->winref == calls->window->winref) {
    WindowFunc* call = (WindowFunc*)node;
    const bool by_rows = goes_by_rows(call, calls->window);
    calls->by_rows = calls->by_rows || by_rows;
    calls->by_peers = calls->by_peers || !by_rows;
    if (by_rows && calls->moved > 0) call->winref = calls->moved;
  }
  return walk_expression(node, visit_calls, arg);
}

// What tells rows apart, as far as it is used: group keys, or the columns of all targets.
List* what_tells_apart(const Query* made) {
  List* all = NIL;
  const ListCell* cell;
  if (made->groupClause != NIL) {
    foreach (cell, made->groupClause) {
      Node* key = get_sortgroupclause_expr((SortGroupClause*)lfirst(cell), made->targetList);
      const bool unit = IsA(key, Var) && ((const Var*)key)->varlevelsup > 0;
      if (!unit) all = list_append_unique(all, key);
    }
    return all;
  }
  foreach (cell, pull_vars_of_level((Node*)made->targetList, 0)) {
    Var* column = (Var*)copyObjectImpl(lfirst(cell));
    column->varlevelsup = 0;
    all = list_append_unique(all, column);
  }
  return all;
}

Index last_reference(const List* windows) {
  Index last = 0;
  const ListCell* cell;
  foreach (cell, windows) last = Max(last, lfirst_node(WindowClause, cell)->winref);
  return last;
}

}  // namespace

void make_windows(LayerQuery* level) {
  const Query* query = level->query;
  Query* made = level->made;
  if (query->windowClause == NIL) return;
  const List* apart = what_tells_apart(made);
  Index last = last_reference(query->windowClause);
  const ListCell* cell;
  foreach (cell, query->windowClause) {
    const WindowClause* asked = lfirst_node(WindowClause, cell);
    check_frame(asked);
    WindowClause* window = (WindowClause*)copyObjectImpl(asked);
    window->partitionClause =
        sorted_clauses(without_unit(level, asked->partitionClause), made->targetList);
    window->orderClause = sorted_clauses(asked->orderClause, made->targetList);
    Calls calls = {asked, 0, false, false};
    (void)visit_calls((Node*)made->targetList, &calls);
    WindowClause* ordered = (WindowClause*)copyObjectImpl(window);
    if (has_range_offset(asked) && calls.by_peers) make_range_frame(made, window);
    if (calls.by_rows) {
      ordered->orderClause = with_ties(made, ordered->orderClause, apart);
      if (has_range_offset(asked)) drop_frame(ordered);
      if (calls.by_peers) {
        ordered->name = NULL;
        ordered->winref = calls.moved = ++last;
        (void)visit_calls((Node*)made->targetList, &calls);
        made->windowClause = lappend(made->windowClause, window);
      }
      made->windowClause = lappend(made->windowClause, ordered);
    } else {
      made->windowClause = lappend(made->windowClause, window);
    }
  }
}

}  // namespace dpmix::pg
