#include "pg/query/check/column_comparisons.hpp"

extern "C" {
#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

struct Looking {
  const RowScope* scope;
  void (*look)(const RowScope* scope, const ColumnComparison& comparison);
};

const Node* unlabelled(const Node* node) {
  while (IsA(node, RelabelType)) node = (const Node*)((const RelabelType*)node)->arg;
  return node;
}

// The column that node is; NULL: it is something else.
const Var* column_of(const Node* node) {
  return IsA(node, Var) && ((const Var*)node)->varattno > 0 ? (const Var*)node : NULL;
}

void look_at_operator(const Looking* looking, const OpExpr* node) {
  if (list_length(node->args) != 2 || node->opno >= FirstUnpinnedObjectId) return;
  const Node* left = unlabelled((const Node*)linitial(node->args));
  const Node* right = unlabelled((const Node*)lsecond(node->args));
  const bool mirrored = IsA(right, Var);
  const Var* column = column_of(mirrored ? right : left);
  const Node* constant = mirrored ? left : right;
  const Oid op = mirrored ? get_commutator(node->opno) : node->opno;
  if (column == NULL || !is_constant(constant) || !OidIsValid(op)) return;
  Datum value = constant_value(constant);
  looking->look(looking->scope,
                {column, op, node->inputcollid, true, exprType(constant), 1, &value});
}

void look_at_array(const Looking* looking, const ScalarArrayOpExpr* node) {
  const Var* column = column_of(unlabelled((const Node*)linitial(node->args)));
  const Node* array = unlabelled((const Node*)lsecond(node->args));
  if (column == NULL || !is_constant(array) || node->opno >= FirstUnpinnedObjectId) return;
  const ArrayElements listed = array_elements(array);
  int count = 0;
  for (int i = 0; i < listed.count; i++) {
    if (!listed.null[i]) listed.value[count++] = listed.value[i];
  }
  looking->look(looking->scope, {column, node->opno, node->inputcollid, node->useOr, listed.type,
                                 count, listed.value});
}

bool look_at(Node* node, void* looking) {
  if (node == NULL) return false;
  if (IsA(node, OpExpr)) look_at_operator((const Looking*)looking, (const OpExpr*)node);
  if (IsA(node, ScalarArrayOpExpr)) {
    look_at_array((const Looking*)looking, (const ScalarArrayOpExpr*)node);
  }
  return walk_expression(node, look_at, looking);
}

}  // namespace

void look_at_comparisons(const RowScope* scope,
                         void (*look)(const RowScope* scope, const ColumnComparison& comparison)) {
  Looking looking = {scope, look};
  (void)look_at((Node*)scope->query->jointree, &looking);
  (void)look_at((Node*)scope->query->targetList, &looking);
  (void)look_at(scope->query->havingQual, &looking);
}

}  // namespace dpmix::pg
