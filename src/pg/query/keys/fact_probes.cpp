#include "pg/query/keys/fact_probes.hpp"

#include "pg/query/keys/probe.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
}

#include "pg/border/compat.hpp"

namespace dpmix::pg {

struct FactProbes {
  int count;
  KeyProbe** probe;
};

namespace {

// A column of such a type stands somewhere but in a comparison.
bool tells_forms_apart(Node* node, void*) {
  if (node == NULL) return false;
  if (IsA(node, Var)) return has_equal_forms(((Var*)node)->vartype);
  const bool compares =
      (IsA(node, OpExpr) && is_comparison(((OpExpr*)node)->opno)) ||
      (IsA(node, ScalarArrayOpExpr) && is_comparison(((ScalarArrayOpExpr*)node)->opno));
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

}  // namespace

bool has_equal_forms(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID || type == BPCHAROID;
}

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

bool any_fact(const FactProbes* facts) {
  return facts->count > 0;
}

}  // namespace dpmix::pg
