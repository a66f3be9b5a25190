#include "pg/query/keys/buckets.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

#include "pg/query/keys/collected.hpp"
#include "pg/query/keys/moved_in_time.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/ranges_in_time.hpp"
#include "pg/query/keys/samples.hpp"
#include "pg/query/keys/steps.hpp"
#include "pg/query/keys/width_bucket.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

bool is_date_trunc(Oid function) {
  switch (function) {
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
      return true;
    default:
      return false;
  }
}
bool is_extract(Oid function) {
  switch (function) {
    case F_EXTRACT_TEXT_DATE:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_DATE:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
      return true;
    default:
      return false;
  }
}
// The column of whole numbers that a time counts, as in to_timestamp(at / 1000.0); NULL: something
// else, or it falls.
Var* counted_column(const RowScope* scope, Node* seconds) {
  bool rises = true;
  Node* node = seconds;
  while (node != NULL && !IsA(node, Var)) node = below_step(node, &rises);
  const bool counts = node != NULL && rises && is_integer(((Var*)node)->vartype);
  return counts ? (Var*)safe_value(scope, node) : NULL;
}

// The column under casts and moves in time, or NULL. These raise on extreme rows: they want a
// guard.
Var* bucketed_column(const RowScope* scope, Node* node, bool guarded) {
  while (!IsA(node, Var)) {
    if (IsA(node, RelabelType)) {
      node = (Node*)((RelabelType*)node)->arg;
      continue;
    }
    Node* moved = guarded ? moved_in_time(node) : NULL;
    if (moved != NULL) {
      node = moved;
      continue;
    }
    if (!IsA(node, FuncExpr)) return NULL;
    const FuncExpr* cast = (FuncExpr*)node;
    const Oid function = cast->funcid;
    if (guarded && function == F_TO_TIMESTAMP_FLOAT8) {
      return counted_column(scope, (Node*)linitial(cast->args));
    }
    const bool in_time = is_cast_to_day(function) || function == F_TIMESTAMP_DATE ||
                         function == F_TIMESTAMPTZ_DATE || function == F_TIMESTAMPTZ_TIMESTAMP ||
                         function == F_TIMESTAMP_TIMESTAMPTZ;
    if (!in_time && !is_widening_cast(function)) return NULL;
    if (in_time && !guarded) {
      refuse_construct("width_bucket of a column cast in time is",
                       "Write the edges in the column's own type.");
    }
    node = (Node*)linitial(cast->args);
  }
  return (Var*)safe_value(scope, node);  // PV002 unless it is a column of the list
}

Datum value_at(KeyProbe* expression, Oid type, int64 at) {
  const Datum value = value_at_place(type, at);
  bool null;
  const Datum result = evaluate_probe(expression, &value, NULL, &null);
  if (null) elog(ERROR, "a bucket of a time between its bounds is NULL");
  return result;
}

// All time stamps are more than 2^63 of their units.
uint64 distance(int64 low, int64 high) {
  return (uint64)high - (uint64)low;
}
int64 moved_on(int64 from, uint64 by) {
  return (int64)((uint64)from + by);
}

// Every value of a function that does not fall from the first to the last: from each value on to
// the next greater one, by bisection.
void collect_steps(Collected* to, KeyProbe* expression, Oid type, const Places& span) {
  const auto compare = [&](Datum a, Datum b) {
    return DatumGetInt32(FunctionCall2(to->compare, a, b));
  };
  const Datum end = value_at(expression, type, span.last);
  int64 at = span.first;
  Datum here = value_at(expression, type, at);
  collect(to, here);
  while (compare(here, end) < 0) {
    CHECK_FOR_INTERRUPTS();
    int64 low = at;
    uint64 reach = 1;
    while (reach < distance(low, span.last) &&
           compare(value_at(expression, type, moved_on(low, reach)), here) <= 0) {
      low = moved_on(low, reach);
      reach *= 2;
    }
    int64 high = reach < distance(low, span.last) ? moved_on(low, reach) : span.last;
    while (distance(low, high) > 1) {
      const int64 middle = moved_on(low, distance(low, high) / 2);
      (compare(value_at(expression, type, middle), here) <= 0 ? low : high) = middle;
    }
    at = high;
    here = value_at(expression, type, at);
    collect(to, here);
  }
}

struct Field {
  const char* name;
  int first, last;  // 0, 0: rises with time
};
constexpr Field kFields[] = {
    {"year", 0, 0},    {"isoyear", 0, 0}, {"decade", 0, 0}, {"century", 0, 0}, {"millennium", 0, 0},
    {"quarter", 1, 4}, {"month", 1, 12},  {"week", 1, 53},  {"day", 1, 31},    {"doy", 1, 366},
    {"dow", 0, 6},     {"isodow", 1, 7},  {"hour", 0, 23},  {"minute", 0, 59}, {"epoch", 0, 0},
};

// Seconds as such are too many groups, what is computed of them need not be.
const Field* field_named(const char* name, bool computed) {
  for (const Field& field : kFields) {
    if (pg_strcasecmp(field.name, name) != 0) continue;
    if (computed || strcmp(field.name, "epoch") != 0) return &field;
  }
  refuse_construct(
      psprintf("extract(%s) as a group key is", name),
      "Use year, isoyear, decade, century, millennium, quarter, month, week, day, "
      "doy, dow, isodow, hour or minute; or floor(extract(epoch FROM seen) / 300) * 300.");
}

// Whether a bucket changes where days and hours of the session's clock do.
bool is_cut_by_session(const FuncExpr* call, const Var* column) {
  if (list_length(call->args) > 2) return false;  // a time zone
  const Node* cut = (const Node*)llast(call->args);
  if (IsA(cut, FuncExpr)) {
    const Oid cast = ((const FuncExpr*)cut)->funcid;
    const bool in_time = cast == F_TIMESTAMP_DATE || cast == F_TIMESTAMPTZ_DATE ||
                         cast == F_TIMESTAMPTZ_TIMESTAMP || cast == F_TIMESTAMP_TIMESTAMPTZ;
    if (in_time) cut = (const Node*)linitial(((const FuncExpr*)cut)->args);
  }
  return equal(cut, column);
}

void collect_ranges(Collected* to, KeyProbe* expression, const PlacesLeft& ranges, Oid type) {
  for (int i = 0; i < ranges.count; i++) {
    collect_steps(to, expression, type, ranges.range[i]);
  }
}

// What the steps above a call make of each value that it has within the ranges.
void collect_above(Collected* to, Expr* whole, FuncExpr* call, Node* within, Var* column,
                   const PlacesLeft& ranges, const Field* field) {
  KeyColumn below = {};
  put_type(&below, case_when((Expr*)within, (Expr*)copyObjectImpl(call)));
  Collected inner = collected_in(&below);
  if (field != NULL && field->last > 0) {
    collect_numbers(&inner, below.type, field->first, field->last);
    below.compare = inner.compare;
    const bool in_time = follows_clock(column->vartype);
    const int64 step = in_time ? longest_step(call, column->vartype) : 0;
    if (can_visit(ranges, step)) keep_met(&below, below.expression, column, ranges, step);
  } else {
    KeyProbe* expression = probe_of(below.expression, 1, &column);
    collect_ranges(&inner, expression, ranges, column->vartype);
    end_probe(expression);
  }
  collect_images(to, whole, call, below);
}

void time_bucket(const RowScope* scope, Expr* whole, FuncExpr* call, bool rises, Var* column,
                 KeyColumn* key) {
  key->ranges = ranges_in_time(scope, column, &key->none);
  const Oid type = column->vartype;
  Node* within = within_ranges(column, key->ranges);
  put_type(key, case_when((Expr*)within, (Expr*)copyObjectImpl(whole)));
  Collected to = collected_in(key);
  const Field* field =
      is_extract(call->funcid)
          ? field_named(TextDatumGetCString(constant_value((Node*)linitial(call->args))),
                        (Expr*)call != whole)
          : NULL;
  KeyProbe* expression = probe_of(key->expression, 1, &column);
  // The ends raise if anything between them does.
  (void)value_at(expression, type, key->ranges.range[0].first);
  (void)value_at(expression, type, key->ranges.range[key->ranges.count - 1].last);
  if (rises && (field == NULL || field->last == 0)) {
    collect_ranges(&to, expression, key->ranges, type);
  } else {
    collect_above(&to, whole, call, within, column, key->ranges, field);
  }
  end_probe(expression);
  key->cut = column;
  key->step = rises && is_cut_by_session(call, column) ? longest_step(call, type) : 0;
}

[[noreturn]] void refuse_computed() {
  refuse_construct("width_bucket of an expression is",
                   "Cut a plain column: width_bucket(x, 0, 100, 10).");
}

}  // namespace

bool find_buckets(const RowScope* scope, const QueryKey* asked, KeyColumn* key) {
  Node* whole = (Node*)asked->expression;
  bool rises;
  FuncExpr* call = below_steps(whole, false, &rises);
  if (call != NULL && is_width_bucket(call->funcid)) {
    Var* column = bucketed_column(scope, (Node*)linitial(call->args), false);
    if (column == NULL) refuse_computed();
    find_width_buckets(scope, (Expr*)whole, call, column, key);
    key->takes_any = true;
    key->missing = (Expr*)column;
  } else {
    if (call == NULL || (!is_date_trunc(call->funcid) && !is_extract(call->funcid))) {
      call = below_steps(whole, true, &rises);
      if (call == NULL || !is_cast_to_day(call->funcid)) return false;
    }
    const int cut = is_cast_to_day(call->funcid) ? 0 : 1;
    require_constants(call->args, cut);
    Var* column = bucketed_column(scope, (Node*)list_nth(call->args, cut), true);
    if (column == NULL) return false;
    time_bucket(scope, (Expr*)whole, call, rises, column, key);
    key->missing = (Expr*)column;
  }
  key->shown = key->value;
  return true;
}

bool cuts_time(const RowScope* scope, Node* expression) {
  bool rises;
  FuncExpr* call = below_steps(expression, false, &rises);
  if (call == NULL || !is_date_trunc(call->funcid)) {
    call = below_steps(expression, true, &rises);
    if (call == NULL || !is_cast_to_day(call->funcid)) return false;
  }
  Node* cut = (Node*)list_nth(call->args, is_cast_to_day(call->funcid) ? 0 : 1);
  const List* columns = pull_var_clause(cut, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS);
  if (list_length(columns) != 1 || !IsA(linitial(columns), Var)) return false;
  const Var* column = (const Var*)linitial(columns);
  return column->varlevelsup == 0 && follows_clock(column->vartype) &&
         domain_of(scope, column).has_bounds;
}

}  // namespace dpmix::pg
