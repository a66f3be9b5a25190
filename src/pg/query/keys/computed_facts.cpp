#include "pg/query/keys/computed_facts.hpp"

#include "pg/query/keys/fact_probes.hpp"
#include "pg/query/keys/steps.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
}

#include "pg/border/compat.hpp"

namespace dpmix::pg {
namespace {

constexpr int kKeys = 1 << 14;  // the number of no table

bool has_part(Node* node, void* part) {
  if (node == NULL) return false;
  return equal(node, part) || walk_expression(node, has_part, part);
}

// What the caller wrote is in WHERE or ON as it is in GROUP BY.
bool is_in_conditions(const RowScope* scope, const Expr* asked) {
  return has_part((Node*)scope->query->jointree, (void*)asked);
}

// Facts about several keys as such.
List* facts_about_several(const RowScope* scope, const KeyColumns& of) {
  List* facts = NIL;
  const ListCell* cell;
  foreach (cell, facts_over_keys(scope->facts, of.keys, of.key)) {
    if (list_length(columns_of((Node*)lfirst(cell))) > 1) facts = lappend(facts, lfirst(cell));
  }
  return facts;
}

}  // namespace

Expr* in_conditions(const RowScope* scope, const Expr* asked, Expr* expression) {
  if (IsA(expression, Var)) return expression;
  if (!is_in_conditions(scope, asked)) return NULL;
  const RowBytes bytes = *scope->bytes;  // it is compiled already
  Expr* made = safe_value(scope, (Node*)asked);
  *scope->bytes = bytes;
  const Oid type = exprType((Node*)made), of = exprType((Node*)expression);
  return type == of || (type == FLOAT8OID && is_number(of)) ? made : NULL;
}

Var* place_of_key(const KeyColumn* key, int number) {
  const Node* of = (const Node*)key->in_conditions;
  return makeVar(kKeys, (AttrNumber)(number + 1), exprType(of), exprTypmod(of), exprCollation(of),
                 0);
}

Datum value_in_place(const KeyColumn* key, Datum value) {
  if (exprType((Node*)key->in_conditions) == key->type) return value;
  return Float8GetDatum(float8_of(constant(key->type, InvalidOid, value)));
}

List* facts_over_keys(const List* facts, int keys, const KeyColumn* key) {
  List* made = NIL;
  const ListCell* cell;
  foreach (cell, facts) {
    Expr* fact = (Expr*)lfirst(cell);
    for (int k = 0; k < keys; k++) {
      if (key[k].in_conditions == NULL) continue;
      fact = steps_over(fact, key[k].in_conditions, place_of_key(&key[k], k));
    }
    if (!equal(fact, lfirst(cell))) made = lappend(made, fact);
  }
  return made;
}

int leave_out(const RowScope* scope, const KeyColumns& of, int count, const int64** combination) {
  const List* facts = facts_about_several(scope, of);
  if (facts == NIL) return count;
  Var** place = (Var**)palloc(sizeof(Var*) * of.keys);
  int* key = (int*)palloc(sizeof(int) * of.keys);
  int places = 0;
  for (int k = 0; k < of.keys; k++) {
    if (of.key[k].in_conditions == NULL) continue;
    key[places] = k;
    place[places++] = place_of_key(&of.key[k], k);
  }
  FactProbes* probes = facts_about(facts, places, place);
  int* number = (int*)palloc(sizeof(int) * of.keys);
  Datum* chosen = (Datum*)palloc(sizeof(Datum) * of.keys);
  bool* missing = (bool*)palloc(sizeof(bool) * of.keys);
  int64* product = (int64*)palloc(sizeof(int64) * ((Size)count + 1));
  int left = 0;
  for (int n = 0; n < count; n++) {
    CHECK_FOR_INTERRUPTS();
    int64 rest = product[left] = *combination == NULL ? n : (*combination)[n];
    for (int k = of.keys - 1; k >= 0; k--) {
      number[k] = (int)(rest % of.key[k].places());
      rest /= of.key[k].places();
    }
    bool others = false;  // a place for others, of which nothing is known
    for (int i = 0; i < places; i++) {
      const KeyColumn& each = of.key[key[i]];
      const int at = number[key[i]];
      others = others || (each.others && at == each.others_place());
      missing[i] = at >= each.categories;
      chosen[i] = missing[i] ? (Datum)0 : value_in_place(&each, each.value[at]);
    }
    left += others || may_hold(probes, chosen, missing);
  }
  end_facts(probes);
  if (left < count) *combination = product;
  return left;
}

}  // namespace dpmix::pg
