#include "pg/query/safe/category_bounds.hpp"

#include <algorithm>
#include <utility>

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Named {     // by a fact
  bool* category;  // of each, whether it is among those named
  bool others;     // values that are none
};

Named none_named(const BoundsBy* by) {
  return {(bool*)palloc0(sizeof(bool) * by->categories), false};
}

void name_value(const BoundsBy* by, Oid type, Datum value, Named* named) {
  const int place = category_of_bounds(by, deciding_text(type, value));
  if (place < 0) {
    named->others = true;
  } else {
    named->category[place] = true;
  }
}

bool is_column(Node* node, const Var* column) {
  const Var* var = compared_column(node);
  return var != NULL && var->varno == column->varno && var->varattno == column->varattno &&
         var->varlevelsup == column->varlevelsup;
}

bool is_category(const Node* node) {
  return is_constant(node) && can_decide_bounds(exprType(node), exprCollation(node));
}

// column = 'a'
bool named_by_comparison(const OpExpr* fact, const Var* column, const BoundsBy* by, Named* named) {
  if (list_length(fact->args) != 2 || order_strategy(fact->opno) != BTEqualStrategyNumber) {
    return false;
  }
  Node *left = (Node*)linitial(fact->args), *right = (Node*)lsecond(fact->args);
  if (is_constant(left)) std::swap(left, right);
  if (!is_column(left, column) || !is_category(right)) return false;
  name_value(by, exprType(right), constant_value(right), named);
  return true;
}

// column IN ('a', 'b')
bool named_by_list(const ScalarArrayOpExpr* fact, const Var* column, const BoundsBy* by,
                   Named* named) {
  Node *left = (Node*)linitial(fact->args), *right = (Node*)lsecond(fact->args);
  if (!fact->useOr || !is_constant(right) || !is_column(left, column) ||
      order_strategy(fact->opno) != BTEqualStrategyNumber) {
    return false;
  }
  const ArrayElements listed = array_elements(right);
  if (!can_decide_bounds(listed.type, fact->inputcollid)) return false;
  for (int i = 0; i < listed.count && !named->others; i++) {
    if (!listed.null[i]) name_value(by, listed.type, listed.value[i], named);
  }
  return !named->others;
}

bool named_by(Node* fact, const Var* column, const BoundsBy* by, Named* named) {
  if (IsA(fact, OpExpr)) return named_by_comparison((OpExpr*)fact, column, by, named);
  if (!IsA(fact, ScalarArrayOpExpr)) return false;
  return named_by_list((ScalarArrayOpExpr*)fact, column, by, named);
}

void meet_facts(const List* facts, const Var* column, const BoundsBy* by, Named* left) {
  const ListCell* cell;
  foreach (cell, facts) {
    Named named = none_named(by);
    if (!named_by((Node*)lfirst(cell), column, by, &named)) continue;
    left->others = left->others && named.others;
    for (int i = 0; i < by->categories; i++) {
      left->category[i] = left->category[i] && named.category[i];
    }
  }
}

}  // namespace

Var* deciding_column(const RowScope* scope, const Var* column, const ColumnDomain& domain) {
  if (domain.by == NULL) return NULL;
  const QuerySource* source = source_of(scope, column);
  if (source->layer != NULL || source->table == NULL) return NULL;
  const AttrNumber number = get_attnum(source->relation, domain.by->column);
  if (number <= 0) return NULL;
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(source->relation, number, &type, &typmod, &collation);
  if (!can_decide_bounds(type, collation)) return NULL;
  return makeVar(column->varno, number, type, typmod, collation, column->varlevelsup);
}

ColumnDomain met_by_categories(const RowScope* scope, const Var* column,
                               const ColumnDomain& domain) {
  const Var* deciding = deciding_column(scope, column, domain);
  if (deciding == NULL) return domain;
  const BoundsBy* by = domain.by;
  Named left = none_named(by);
  left.others = true;
  std::fill_n(left.category, by->categories, true);
  meet_facts(scope->facts, deciding, by, &left);
  meet_facts(scope->branch, deciding, by, &left);
  ColumnDomain met = domain;
  bool any = false;
  for (int i = 0; i < by->categories; i++) {
    if (!left.category[i]) continue;
    met.lower = any ? std::min(met.lower, by->lower[i]) : by->lower[i];
    met.upper = any ? std::max(met.upper, by->upper[i]) : by->upper[i];
    any = true;
  }
  return any && !left.others ? met : domain;
}

}  // namespace dpmix::pg
