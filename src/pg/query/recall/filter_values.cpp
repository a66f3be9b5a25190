#include "pg/query/recall/filter_values.hpp"

#include "pg/query/keys/probe.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

bool is_column(const Node* node) {
  while (IsA(node, RelabelType)) node = (const Node*)((const RelabelType*)node)->arg;
  return IsA(node, Var);
}

bool is_equality(Oid op) {
  return strcmp(get_opname(op), "=") == 0;
}

// Whether a constant is a public value: then no other value of a row equals it.
bool is_public(Oid function, Oid collation, Datum constant, bool constant_first, const KeptKey& key,
               const Datum* values) {
  for (int i = 0; i < key.categories; i++) {
    const Datum left = constant_first ? constant : values[i];
    const Datum right = constant_first ? values[i] : constant;
    if (DatumGetBool(OidFunctionCall2Coll(function, collation, left, right))) return true;
  }
  return false;
}

// column = constant, column IN (constants), column IS NULL and what OR makes of them, all of them
// with a place of their own.
bool names_public_values(const Node* node, const KeptKey& key, const Datum* values) {
  if (IsA(node, BoolExpr)) {
    const BoolExpr* any = (const BoolExpr*)node;
    if (any->boolop != OR_EXPR) return false;
    const ListCell* cell;
    foreach (cell, any->args) {
      if (!names_public_values((const Node*)lfirst(cell), key, values)) return false;
    }
    return true;
  }
  if (IsA(node, OpExpr)) {
    const OpExpr* equal = (const OpExpr*)node;
    if (list_length(equal->args) != 2 || !is_equality(equal->opno)) return false;
    const Node *left = (const Node*)linitial(equal->args),
               *right = (const Node*)lsecond(equal->args);
    const bool constant_first = is_constant(left);
    if (!is_column(constant_first ? right : left)) return false;
    const Node* constant = constant_first ? left : right;
    return is_constant(constant) &&
           is_public(get_opcode(equal->opno), equal->inputcollid, constant_value(constant),
                     constant_first, key, values);
  }
  if (IsA(node, NullTest)) {
    const NullTest* test = (const NullTest*)node;
    return test->nulltesttype == IS_NULL && key.has_null && is_column((const Node*)test->arg);
  }
  if (!IsA(node, ScalarArrayOpExpr)) return false;
  const ScalarArrayOpExpr* among = (const ScalarArrayOpExpr*)node;
  const Node* array = (const Node*)lsecond(among->args);
  if (!among->useOr || !is_equality(among->opno) || !is_constant(array) ||
      !is_column((const Node*)linitial(among->args))) {
    return false;
  }
  const ArrayElements elements = array_elements(array);
  for (int i = 0; i < elements.count; i++) {
    if (!elements.null[i] && !is_public(get_opcode(among->opno), among->inputcollid,
                                        elements.value[i], false, key, values)) {
      return false;
    }
  }
  return true;
}

bool is_true(KeyProbe* probe, Datum value, bool missing) {
  bool null;
  const Datum made = evaluate_probe(probe, &value, &missing, &null);
  return !null && DatumGetBool(made);
}

}  // namespace

bool filter_values(const Node* condition, Var* column, const KeptKey& key, const Datum* values,
                   bool* admitted) {
  if (key.coverage == Coverage::some && !names_public_values(condition, key, values)) return false;
  Var* const columns[] = {column};
  KeyProbe* probe = probe_of((const Expr*)condition, 1, columns);
  for (int i = 0; i < key.categories; i++) {
    admitted[i] = admitted[i] && is_true(probe, values[i], false);
  }
  const bool of_null = is_true(probe, (Datum)0, true);
  if (key.has_null) admitted[key.categories] = admitted[key.categories] && of_null;
  const bool of_others = !key.has_null && key.coverage == Coverage::but_null && of_null;
  end_probe(probe);
  return !of_others;
}

}  // namespace dpmix::pg
