#include "pg/query/statistics/folded_keys.hpp"

#include <climits>

#include "pg/border/compat.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

Expr* integer(int value) {
  return (Expr*)constant(INT4OID, InvalidOid, Int32GetDatum(value));
}

Expr* computed(Oid function, Expr* left, Expr* right) {
  return call_builtin(function, INT4OID, list_make2(left, right));
}

bool may_fold(const QueryGroups* groups) {
  // In grouping sets a row without a place of one key may count in sets without it.
  if (groups->keys < 2 || groups->discovered || groups->cube != NULL) return false;
  double combinations = 1;
  for (int k = 0; k < groups->keys; k++) {
    if (groups->key[k].found || groups->key[k].places() < 1) return false;
    combinations *= groups->key[k].places();
  }
  return combinations <= INT_MAX;
}

}  // namespace

void fold_keys(Query* tree, const QueryGroups* groups) {
  if (!may_fold(groups)) return;
  RangeTblEntry* layer = linitial_node(RangeTblEntry, tree->rtable);
  Query* rows = layer->subquery;
  Expr* number = NULL;
  for (int k = 0; k < groups->keys; k++) {
    const Var* key = (const Var*)list_nth_node(TargetEntry, tree->targetList, k)->expr;
    Expr* place = (Expr*)copyObjectImpl(get_tle_by_resno(rows->targetList, key->varattno)->expr);
    number = number == NULL
                 ? place
                 : computed(F_INT4PL, computed(F_INT4MUL, number, integer(groups->key[k].places())),
                            place);
  }
  add_column(rows, number);
  layer->eref->colnames = lappend(layer->eref->colnames, makeString(pstrdup("number")));
  Var* of_group = column_of(rows, (AttrNumber)list_length(rows->targetList));
  int step = 1;
  for (int k = groups->keys - 1; k >= 0; k--) {
    TargetEntry* entry = list_nth_node(TargetEntry, tree->targetList, k);
    const int places = groups->key[k].places();
    Expr* rest = computed(F_INT4DIV, (Expr*)copyObjectImpl(of_group), integer(step));
    entry->expr = computed(F_INT4MOD, rest, integer(places));
    entry->ressortgroupref = 0;
    step *= places;
  }
  const AttrNumber last = (AttrNumber)(list_length(tree->targetList) + 1);
  TargetEntry* grouped = makeTargetEntry((Expr*)of_group, last, NULL, true);
  grouped->ressortgroupref = 1;
  tree->targetList = lappend(tree->targetList, grouped);
  tree->groupClause = list_make1(sort_clause(INT4OID, 1));
}

}  // namespace dpmix::pg
