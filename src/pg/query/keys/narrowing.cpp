#include "pg/query/keys/narrowing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pg/border/guard.hpp"
#include "pg/query/keys/calendar.hpp"
#include "pg/query/keys/compared_places.hpp"
#include "pg/query/keys/computed_facts.hpp"
#include "pg/query/keys/fact_probes.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/samples.hpp"
#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"

namespace dpmix::pg {

namespace {

// Whether no value of a column in time makes all facts true: by the ranges they leave, and by facts
// that are constant over steps through these.
bool leave_no_place(const List* facts, Var* column) {
  const Oid type = column->vartype;
  const Places all = {least_place(type), largest_place(type)};
  const PlacesLeft left = places_met({(Index)column->varno, column->varattno, all}, facts);
  if (left.count == 0) return true;
  int64 step = type == DATEOID ? 1 : USECS_PER_DAY;
  const List* asked = facts_at_places(facts, column, &step);
  if (asked == NIL || !can_visit(left, step)) return false;
  FactProbes* probes = facts_about(asked, 1, &column);
  bool any = !any_fact(probes);
  visit_places(left, step, [&](int64 at) {
    const Datum value = value_at_place(type, at);
    any = any || may_hold(probes, &value, NULL);
  });
  end_facts(probes);
  return !any;
}

// No value at all of a column's type, NULL among them, makes all facts about it true.
bool leave_nothing(const List* facts, Var* column) {
  if (column->vartype == BOOLOID) {
    FactProbes* probes = facts_about(facts, 1, &column);
    bool any = false;
    for (int i = 0; i < 3; i++) {
      const Datum value = BoolGetDatum(i == 1);
      const bool missing = i == 2;
      any = any || may_hold(probes, &value, &missing);
    }
    end_facts(probes);
    return !any;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_number(column->vartype) && !have_number(facts, column, {-infinity, infinity}, true)) {
    return true;
  }
  Datum* named;
  const int count = values_named(facts, column, true, &named);
  if (count > 0) {
    FactProbes* probes = facts_about(facts, 1, &column);
    bool any = false;
    for (int i = 0; i < count; i++) any = any || may_hold(probes, &named[i], NULL);
    end_facts(probes);
    return !any;
  }
  return follows_clock(column->vartype) && leave_no_place(facts, column);
}

struct Named {
  Oid type;
  int count;  // but NULL; 0: nothing is named
  Datum* value;
};

Named named_by(Node* fact, const Var* column) {
  const bool listed = IsA(fact, ScalarArrayOpExpr);
  if (!listed && !IsA(fact, OpExpr)) return {};
  const ScalarArrayOpExpr* among = (const ScalarArrayOpExpr*)fact;
  const Oid op = listed ? among->opno : ((OpExpr*)fact)->opno;
  const List* of = listed ? among->args : ((OpExpr*)fact)->args;
  if (list_length(of) != 2 || order_strategy(op) != BTEqualStrategyNumber ||
      (listed && !among->useOr)) {
    return {};
  }
  Node *left = (Node*)linitial(of), *right = (Node*)lsecond(of);
  if (!listed && is_constant(left)) std::swap(left, right);
  if (!is_constant(right) || !equal(compared_column(left), column)) return {};
  if (!listed) {
    Datum* one = (Datum*)palloc(sizeof(Datum));
    *one = constant_value(right);
    return {exprType(right), 1, one};
  }
  const ArrayElements elements = array_elements(right);
  Named named = {elements.type, 0, (Datum*)palloc(sizeof(Datum) * (elements.count + 1))};
  for (int i = 0; i < elements.count; i++) {
    if (!elements.null[i]) named.value[named.count++] = elements.value[i];
  }
  return named;
}

// A constant as the column would hold it. False: it could in more than one form.
bool in_own_form(const Named& named, int i, const Var* column, bool any_form, Datum* value) {
  const Oid type = column->vartype;
  const bool text = named.type == TEXTOID || named.type == VARCHAROID;
  *value = named.value[i];
  if (type == BPCHAROID && named.type == BPCHAROID) {
    *value = DirectFunctionCall3(bpchar, named.value[i], Int32GetDatum(column->vartypmod),
                                 BoolGetDatum(true));
    return true;
  }
  if (type == TEXTOID || type == VARCHAROID) return text;
  return type == named.type && (any_form || !has_equal_forms(type));
}

// Whether a column has that value: a numeric has so many digits behind the point.
bool is_held(const Var* column, Datum value) {
  const int32 typmod = column->vartypmod;
  if (column->vartype != NUMERICOID || typmod < (int32)VARHDRSZ) return true;
  const Datum rounded =
      DirectFunctionCall2(numeric_round, value, Int32GetDatum(scale_of_numeric(typmod)));
  return DatumGetBool(DirectFunctionCall2(numeric_eq, rounded, value));
}

}  // namespace

void keep_values(KeyColumn* key, const bool* admitted) {
  const int all = key->categories;
  const int left = (int)std::count(admitted, admitted + all, true);
  if (left == all) return;
  key->none = left == 0 && !key->has_null;
  Datum* value = (Datum*)palloc(sizeof(Datum) * Max(left, 1));
  Datum* shown = (Datum*)palloc(sizeof(Datum) * Max(left, 1));
  key->categories = 0;
  for (int i = 0; i < all; i++) {
    if (!admitted[i] && !(key->none && i == 0)) continue;
    value[key->categories] = key->value[i];
    shown[key->categories++] = key->shown[i];
  }
  key->value = value;
  key->shown = shown;
}

namespace {

// Where it is all that there is, its place stays, and stands for no row.
void leave_out_null(KeyColumn* key) {
  key->none = key->categories == 0 && !key->found;
  key->has_null = key->none;
}

}  // namespace

void narrow_key(const List* facts, KeyColumn* key) {
  if (key->in_conditions == NULL) return;
  Var* place = place_of_key(key, 0);
  FactProbes* probes = facts_about(facts_over_keys(facts, 1, key), 1, &place);
  const Datum no_value = 0;
  const bool missing = true;
  if (key->has_null && !may_hold(probes, &no_value, &missing)) leave_out_null(key);
  if (any_fact(probes)) {
    bool* admitted = (bool*)palloc(key->categories);
    for (int i = 0; i < key->categories; i++) {
      CHECK_FOR_INTERRUPTS();
      const Datum value = value_in_place(key, key->value[i]);
      admitted[i] = may_hold(probes, &value, NULL);
    }
    keep_values(key, admitted);
  }
  end_facts(probes);
}

void narrow_to_named(const List* facts, KeyColumn* key) {
  const List* columns = columns_of((Node*)key->expression);
  if (IsA(key->expression, Var) || list_length(columns) != 1 || key->categories == 0) return;
  Var* column = (Var*)linitial(columns);
  Datum* named;
  const int count = values_named(facts, column, true, &named);
  if (count == 0) return;
  FactProbes* probes = facts_about(facts, 1, &column);
  KeyProbe* expression = probe_of(key->expression, 1, &column);
  const SortedValues sorted = sorted_values(key);
  bool* met = (bool*)palloc0(key->categories);
  bool null_met = false;
  for (int i = 0; i < count; i++) {
    if (!is_held(column, named[i]) || !may_hold(probes, &named[i], NULL)) continue;
    bool null;
    const Datum value = evaluate_probe(expression, &named[i], NULL, &null);
    null_met = null_met || null;
    const int number = null ? -1 : find_value(sorted, value);
    if (number >= 0) met[number] = true;
  }
  end_probe(expression);
  end_facts(probes);
  if (key->has_null && !null_met) leave_out_null(key);
  keep_values(key, met);
}

bool contradict(const List* facts) {
  const ListCell* cell;
  foreach (cell, facts) {
    const Node* fact = (const Node*)lfirst(cell);
    if (IsA(fact, Const) &&
        (((const Const*)fact)->constisnull || !DatumGetBool(constant_value(fact)))) {
      return true;
    }
  }
  foreach (cell, columns_of((Node*)facts)) {
    if (leave_nothing(facts, (Var*)lfirst(cell))) return true;
  }
  return false;
}

int values_named(const List* facts, const Var* column, bool any_form, Datum** value) {
  const ListCell* cell;
  foreach (cell, facts) {
    const Named named = named_by((Node*)lfirst(cell), column);
    if (named.count == 0 || named.count > kMaxGroups) continue;
    *value = (Datum*)palloc(sizeof(Datum) * named.count);
    int count = 0;
    while (count < named.count && in_own_form(named, count, column, any_form, &(*value)[count])) {
      count++;
    }
    if (count == named.count) return count;
  }
  return 0;
}

}  // namespace dpmix::pg
