#include "pg/query/keys/calendar.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

#include "pg/border/compat.hpp"
#include "pg/query/keys/collected.hpp"
#include "pg/query/keys/moved_in_time.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/ranges_in_time.hpp"
#include "pg/query/keys/samples.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

bool is_cast_in_time(Oid function) {
  return function == F_TIMESTAMP_TIMESTAMPTZ || function == F_TIMESTAMPTZ_TIMESTAMP;
}

const Node* without_guard(const Node* node) {
  const FuncExpr* call = IsA(node, FuncExpr) ? (const FuncExpr*)node : NULL;
  const char* name = call == NULL ? NULL : get_func_name(call->funcid);
  const bool guard =
      name != NULL && strcmp(name, "total_within") == 0 && is_dpmix_function(call->funcid);
  return guard ? (const Node*)linitial(call->args) : node;
}

// What a time is cast from; NULL: it is no cast.
const Node* below_cast(const Node* node) {
  if (IsA(node, RelabelType)) return (const Node*)((const RelabelType*)node)->arg;
  const bool cast = IsA(node, FuncExpr) && is_cast_in_time(((const FuncExpr*)node)->funcid);
  return cast ? (const Node*)linitial(((const FuncExpr*)node)->args) : NULL;
}

// What a time is computed of, where that moves all times alike; NULL: something else.
const Node* below_move(const Node* node) {
  const Node* cast = below_cast(node);
  const Node* below = cast != NULL ? cast : moved_in_time(node);
  return below == NULL ? NULL : without_guard(below);
}

// What is moved by whole days; NULL: it is not.
const Node* below_days(const Node* node) {
  const Node* below = moved_in_time(node);
  if (below == NULL) return NULL;
  const Node* by = (const Node*)lsecond(((const FuncExpr*)node)->args);
  const bool days = exprType(by) == INTERVALOID && DatumGetIntervalP(constant_value(by))->time == 0;
  return days ? below : NULL;
}

// Whether days and hours of the session's clock are cut, or those of the column's own.
bool is_cut_by_clock(const Node* cut) {
  while (!IsA(cut, Var)) {
    const Node* cast = below_cast(cut);
    const Node* below = cast != NULL ? cast : below_days(cut);
    if (below == NULL) return false;
    cut = without_guard(below);
  }
  return true;
}

// How an expression cuts the times of its one column.
struct Cuts {
  bool known;
  bool zoned;       // a clock that is changed has a say
  const Node* cut;  // the times that all buckets cut; NULL: none yet
  int64 step;
};

bool look_at(Node* node, void* arg);

// Looks at what a bucket cuts, or at the bucket that it is made of.
void look_below(Cuts* cuts, const Node* cut) {
  cut = without_guard(cut);
  const Node* node = cut;
  while (node != NULL && !IsA(node, Var)) {
    cuts->zoned = cuts->zoned || exprType(node) == TIMESTAMPTZOID;
    if (IsA(node, FuncExpr) && longest_step((const FuncExpr*)node, TIMESTAMPOID) > 0) {
      (void)look_at((Node*)node, cuts);
      return;
    }
    node = below_move(node);
  }
  if (node == NULL || (cuts->cut != NULL && !equal(cuts->cut, cut))) cuts->known = false;
  cuts->cut = cut;
}

bool look_at(Node* node, void* arg) {
  Cuts* cuts = (Cuts*)arg;
  if (node == NULL || !cuts->known) return false;
  if (IsA(node, Var)) cuts->known = false;  // not under a bucket
  if (!IsA(node, FuncExpr)) return walk_expression(node, look_at, arg);
  const FuncExpr* call = (const FuncExpr*)node;
  const int64 step = longest_step(call, TIMESTAMPOID);
  if (step == 0) return walk_expression(node, look_at, arg);
  if (call->funcid == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT) cuts->known = false;  // another clock
  cuts->step = cuts->step == 0 ? step : Min(cuts->step, step);
  ListCell* cell;
  foreach (cell, call->args) {
    if (!is_constant((Node*)lfirst(cell))) look_below(cuts, (const Node*)lfirst(cell));
  }
  return false;
}

// Where a zone has a say, runs may be cut off where its clock is changed (samples.hpp).
int64 step_of(const Cuts& cuts, const Var* column) {
  if (!cuts.zoned && column->vartype != TIMESTAMPTZOID) return cuts.step;
  return cuts.step == USECS_PER_HOUR ? cuts.step / 4 : cuts.step / 2;
}

Cuts cuts_of(Node* expression) {
  Cuts cuts = {true, false, NULL, 0};
  (void)look_at(expression, &cuts);
  cuts.known = cuts.known && cuts.step > 0;
  return cuts;
}

}  // namespace

List* facts_at_places(const List* facts, const Var* column, int64* step) {
  List* asked = NIL;
  const ListCell* cell;
  foreach (cell, facts) {
    Node* fact = (Node*)lfirst(cell);
    const List* of = columns_of(fact);
    if (list_length(of) != 1 || !equal(linitial(of), column)) continue;
    if (column->vartype != DATEOID) {
      const Cuts cuts = cuts_of(fact);
      if (!cuts.known || !is_cut_by_clock(cuts.cut)) continue;
      *step = Min(*step, step_of(cuts, column));
    }
    asked = lappend(asked, fact);
  }
  return asked;
}

int find_calendar_values(const RowScope* scope, KeyColumn* key, Datum** value) {
  List* columns = columns_of((Node*)key->expression);
  if (list_length(columns) != 1) return 0;
  Var* column = linitial_node(Var, columns);
  if (column->vartype != TIMESTAMPOID && column->vartype != TIMESTAMPTZOID) return 0;
  const Cuts cuts = cuts_of((Node*)key->expression);
  if (!cuts.known) return 0;
  key->ranges = ranges_in_time(scope, column, &key->none);
  const int64 step = step_of(cuts, column);
  if (!can_visit(key->ranges, step)) return 0;
  KeyColumn found = *key;
  found.categories = 0;
  found.value = NULL;
  Collected to = collected_in(&found);
  KeyProbe* probe = probe_of(key->expression, 1, &column);
  visit_places(key->ranges, step, [&](int64 at) {
    const Datum place = value_at_place(column->vartype, at);
    bool null;
    const Datum made = evaluate_probe(probe, &place, NULL, &null);
    if (!null) collect(&to, made);
  });
  end_probe(probe);
  key->expression = case_when((Expr*)within_ranges(column, key->ranges), key->expression);
  key->cut = column;
  key->step = is_cut_by_clock(cuts.cut) ? step : 0;
  *value = found.value;
  return found.categories;
}

}  // namespace dpmix::pg
