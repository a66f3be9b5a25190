#include "pg/query/keys/null_keys.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
}

#include "pg/border/compat.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/keys/fact_probes.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/public_rows.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

bool is_not_null(const QuerySource* source, AttrNumber column) {
  if (source->layer != NULL) {
    const LayerColumn& made = source->layer->column[column - 1];
    return !made.nullable &&
           (made.plain == NULL || !may_be_null(made.scope, (Var*)copyObjectImpl(made.plain)));
  }
  return keeps_out_nulls(source->relation, column);
}

// Compared by an operator of a btree order, a column is not NULL.
bool is_compared(const List* facts, const Var* column) {
  const ListCell* cell;
  foreach (cell, facts) {
    const OpExpr* fact = (const OpExpr*)lfirst(cell);
    if (!IsA(fact, OpExpr) || order_strategy(fact->opno) == 0) continue;
    const ListCell* argument;
    foreach (argument, fact->args) {
      if (equal(compared_column((Node*)lfirst(argument)), column)) return true;
    }
  }
  return false;
}

// What facts about a column alone say of NULL.
bool facts_allow_null(const List* facts, Var* column) {
  FactProbes* probes = facts_about(facts, 1, &column);
  const Datum value = 0;
  const bool missing = true;
  const bool allowed = may_hold(probes, &value, &missing);
  end_facts(probes);
  return allowed && !is_compared(facts, column);
}
// Whether an expression as the caller wrote it can be NULL though none of its columns is.
bool has_null_result(Node* node, void*) {
  if (node == NULL) return false;
  if (IsA(node, NullIfExpr) || (IsA(node, Const) && ((Const*)node)->constisnull)) return true;
  return walk_expression(node, has_null_result, NULL);
}

// A row of a public table that a row may go with has NULL there.
bool has_public_null(const RowScope* scope, Var* column) {
  bool any = false;
  const bool all = visit_public_rows(scope, 1, &column,
                                     [&](const Datum*, const bool* null) { any = any || null[0]; });
  return any || !all;
}

bool is_null_of_null(const Expr* expression, Var* column) {
  KeyProbe* probe = probe_of(expression, 1, &column);
  const Datum value = 0;
  const bool missing = true;
  bool null;
  (void)evaluate_probe(probe, &value, &missing, &null);
  end_probe(probe);
  return null;
}

}  // namespace

bool asks_for_null(const List* facts, const Var* column) {
  const ListCell* cell;
  foreach (cell, facts) {
    const NullTest* test = (const NullTest*)lfirst(cell);
    if (IsA(test, NullTest) && test->nulltesttype == IS_NULL && equal(test->arg, column)) {
      return true;
    }
  }
  return false;
}

bool may_be_null(const RowScope* scope, Var* column) {
  const QuerySource* source = source_of(scope, column);
  if (!may_be_missing(scope->from, source->varno)) {
    if (is_not_null(source, column->varattno)) return false;
    if (source->table == NULL && !has_public_null(scope, column)) return false;
  }
  return facts_allow_null(scope->facts, column);
}

bool ask_for_null_in_vain(const RowScope* scope) {
  const ListCell* cell;
  foreach (cell, columns_of((Node*)scope->facts)) {
    Var* column = (Var*)lfirst(cell);
    if (asks_for_null(scope->facts, column) && !may_be_null(scope, column)) return true;
  }
  return false;
}

void find_null(const RowScope* scope, const QueryKey* asked, KeyColumn* key) {
  const bool has_result = has_null_result((Node*)asked->expression, NULL);
  key->has_null = has_result;
  const List* columns = columns_of((Node*)key->missing);
  if (list_length(columns) != 1) {
    const ListCell* cell;
    foreach (cell, columns) {
      key->has_null = key->has_null || may_be_null(scope, (Var*)lfirst(cell));
    }
    return;
  }
  Var* column = linitial_node(Var, columns);
  if (!is_null_of_null(key->missing, column)) return;
  key->has_null = has_result || may_be_null(scope, column);
  if (!has_result) key->missing = (Expr*)column;  // a NaN is not NULL
  if (asks_for_null(scope->facts, column)) key->categories = 0;
}

}  // namespace dpmix::pg
