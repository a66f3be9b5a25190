#include "pg/query/keys/narrowing.hpp"

#include <algorithm>
#include <utility>

#include "pg/border/guard.hpp"
#include "pg/query/keys/compared_places.hpp"
#include "pg/query/keys/probe.hpp"
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

struct FactProbes {
  int count;
  KeyProbe** probe;
};

namespace {

// 1.0 and 1.00, 0 and -0, 'a' and 'a ' are one group each.
bool has_equal_forms(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID || type == BPCHAROID;
}

// A column of such a type stands somewhere but in a comparison.
bool tells_forms_apart(Node* node, void*) {
  if (node == NULL) return false;
  if (IsA(node, Var)) return has_equal_forms(((Var*)node)->vartype);
  const bool compares =
      (IsA(node, OpExpr) && order_strategy(((OpExpr*)node)->opno) != 0) ||
      (IsA(node, ScalarArrayOpExpr) && order_strategy(((ScalarArrayOpExpr*)node)->opno) != 0);
  const List* compared = IsA(node, OpExpr)              ? ((OpExpr*)node)->args
                         : IsA(node, ScalarArrayOpExpr) ? ((ScalarArrayOpExpr*)node)->args
                         : IsA(node, NullTest)          ? list_make1(((NullTest*)node)->arg)
                                                        : NIL;
  if (!compares && !IsA(node, NullTest)) return walk_expression(node, tells_forms_apart, NULL);
  const ListCell* cell;
  foreach (cell, compared) {
    Node* one = (Node*)lfirst(cell);
    if (compared_column(one) == NULL && tells_forms_apart(one, NULL)) return true;
  }
  return false;
}

bool is_one_of(const Node* node, int columns, Var* const* column) {
  for (int i = 0; i < columns; i++) {
    if (equal(column[i], node)) return true;
  }
  return false;
}

// A fact about these columns, and no others.
bool is_about(Node* fact, int columns, Var* const* column) {
  const List* of = columns_of(fact);
  if (of == NIL || tells_forms_apart(fact, NULL)) return false;
  const ListCell* cell;
  foreach (cell, of) {
    if (!is_one_of((const Node*)lfirst(cell), columns, column)) return false;
  }
  return true;
}

// Those that are left, in their order.
void keep_values(KeyColumn* key, const bool* admitted) {
  const int all = key->categories;
  const int left = (int)std::count(admitted, admitted + all, true);
  if (left == all) return;
  key->none = left == 0;
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
  if (is_number(column->vartype) && !have_number(facts, column)) return true;
  Datum* named;
  const int count = values_named(facts, column, &named);
  if (count > 0) {
    FactProbes* probes = facts_about(facts, 1, &column);
    bool any = false;
    for (int i = 0; i < count; i++) any = any || may_hold(probes, &named[i], NULL);
    end_facts(probes);
    return !any;
  }
  if (!follows_clock(column->vartype)) return false;
  const Places all = {least_place(column->vartype), largest_place(column->vartype)};
  return places_met({(Index)column->varno, column->varattno, all}, facts).count == 0;
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
bool in_own_form(const Named& named, int i, const Var* column, Datum* value) {
  const Oid type = column->vartype;
  const bool text = named.type == TEXTOID || named.type == VARCHAROID;
  *value = named.value[i];
  if (type == BPCHAROID && named.type == BPCHAROID) {
    *value = DirectFunctionCall3(bpchar, named.value[i], Int32GetDatum(column->vartypmod),
                                 BoolGetDatum(true));
    return true;
  }
  if (type == TEXTOID || type == VARCHAROID) return text;
  return type == named.type && !has_equal_forms(type);
}

}  // namespace

FactProbes* facts_about(const List* facts, int columns, Var* const* column) {
  FactProbes* made = (FactProbes*)palloc(sizeof(FactProbes));
  *made = {0, (KeyProbe**)palloc(sizeof(KeyProbe*) * Max(list_length(facts), 1))};
  const ListCell* cell;
  foreach (cell, facts) {
    Node* fact = (Node*)lfirst(cell);
    if (!is_about(fact, columns, column)) continue;
    made->probe[made->count++] = probe_of((Expr*)fact, columns, column);
  }
  return made;
}

bool may_hold(FactProbes* facts, const Datum* value, const bool* missing) {
  for (int i = 0; i < facts->count; i++) {
    bool null;
    const bool holds = DatumGetBool(evaluate_probe(facts->probe[i], value, missing, &null));
    if (null || !holds) return false;
  }
  return true;
}

void end_facts(FactProbes* facts) {
  for (int i = 0; i < facts->count; i++) end_probe(facts->probe[i]);
}

void narrow_key(const List* facts, KeyColumn* key) {
  if (!IsA(key->expression, Var) || key->categories == 0) return;
  Var* column = (Var*)key->expression;
  FactProbes* probes = facts_about(facts, 1, &column);
  if (probes->count > 0) {
    bool* admitted = (bool*)palloc(key->categories);
    for (int i = 0; i < key->categories; i++) {
      CHECK_FOR_INTERRUPTS();
      admitted[i] = may_hold(probes, &key->value[i], NULL);
    }
    keep_values(key, admitted);
  }
  end_facts(probes);
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

int values_named(const List* facts, const Var* column, Datum** value) {
  const ListCell* cell;
  foreach (cell, facts) {
    const Named named = named_by((Node*)lfirst(cell), column);
    if (named.count == 0 || named.count > kMaxGroups) continue;
    *value = (Datum*)palloc(sizeof(Datum) * named.count);
    int count = 0;
    while (count < named.count && in_own_form(named, count, column, &(*value)[count])) count++;
    if (count == named.count) return count;
  }
  return 0;
}

}  // namespace dpmix::pg
