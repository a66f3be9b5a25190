#include "pg/query/keys/public_rows.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/keys/collected.hpp"
#include "pg/query/keys/fact_probes.hpp"
#include "pg/query/keys/narrowing.hpp"
#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/keys/steps.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostCombinations = 1000000;  // that are read
constexpr double kFewRows = 100000;         // that are looked at where no key is of their table

bool is_grouped(const Var* column) {
  return OidIsValid(lookup_type_cache(column->vartype, TYPECACHE_LT_OPR)->lt_opr);
}

bool is_of(const Node* fact, Index varno) {
  const ListCell* cell;
  const List* columns = columns_of((Node*)fact);
  foreach (cell, columns) {
    const Var* column = lfirst_node(Var, cell);
    if ((Index)column->varno != varno || !is_grouped(column)) return false;
  }
  return columns != NIL;
}

List* facts_of(Index varno, const List* all) {
  List* facts = NIL;
  const ListCell* cell;
  foreach (cell, all) {
    if (is_of((Node*)lfirst(cell), varno)) facts = list_append_unique(facts, lfirst(cell));
  }
  return facts;
}

// What is left of the equality with another column.
bool is_equal_to_itself(const Expr* fact) {
  if (!IsA(fact, OpExpr) || list_length(((const OpExpr*)fact)->args) != 2) return false;
  const List* sides = ((const OpExpr*)fact)->args;
  return equal(linitial(sides), lsecond(sides));
}

// What is true of each row of a public table that goes with a row that counts.
List* facts_of_rows(const RowScope* scope, Index varno) {
  List* facts = list_copy(facts_where_present(scope->from, varno));
  const ListCell *cell, *inner;
  foreach (cell, scope->facts) {
    Expr* fact = (Expr*)lfirst(cell);
    foreach (inner, columns_of((Node*)fact)) {
      Var* column = lfirst_node(Var, inner);
      const Var* other = public_column(scope, column);
      if (other == NULL || (Index)other->varno != varno) continue;
      fact = steps_over(fact, (Expr*)column, other);
    }
    if (!is_equal_to_itself(fact)) facts = lappend(facts, fact);
  }
  return facts_of(varno, facts);
}

SilentScan* plan_distinct(const QuerySource* source, const List* columns) {
  StringInfoData sql;
  initStringInfo(&sql);
  const ListCell* cell;
  foreach (cell, columns) {
    const char* name = get_attname(source->relation, lfirst_node(Var, cell)->varattno, false);
    appendStringInfoString(&sql, sql.len == 0 ? "SELECT DISTINCT " : ", ");
    appendStringInfoString(&sql, quote_identifier(name));
  }
  appendStringInfo(&sql, " FROM %s LIMIT %d", qualified_name(source->relation),
                   kMostCombinations + 1);
  return plan_public_scan(sql.data, source->relation, GetUserId());
}

bool is_public(const RowScope* scope, const Var* column) {
  return source_of(scope, column)->table == NULL;
}

bool is_text(Oid type) {
  return type == TEXTOID || type == VARCHAROID;
}

bool has_same_values(Oid type, Oid other) {
  return (type == other && !has_equal_forms(type)) || (is_text(type) && is_text(other));
}

// The other side of an equality of two columns with the same values; NULL: it is none.
Var* equal_column(Node* fact, const Var* column) {
  if (!IsA(fact, OpExpr) || list_length(((OpExpr*)fact)->args) != 2 ||
      order_strategy(((OpExpr*)fact)->opno) != BTEqualStrategyNumber) {
    return NULL;
  }
  Var* side[] = {compared_column((Node*)linitial(((OpExpr*)fact)->args)),
                 compared_column((Node*)lsecond(((OpExpr*)fact)->args))};
  for (int i = 0; i < 2; i++) {
    if (side[0] == NULL || side[1] == NULL || !equal(side[i], column)) continue;
    Var* other = side[1 - i];
    return has_same_values(column->vartype, other->vartype) ? other : NULL;
  }
  return NULL;
}

// What is filled up with NULLs, unless facts rule it out.
void visit_missing(const List* facts, int columns, Var* const* column, const RowReceiver& visit) {
  Datum* value = (Datum*)palloc0(sizeof(Datum) * columns);
  bool* null = (bool*)palloc(columns);
  for (int i = 0; i < columns; i++) null[i] = true;
  FactProbes* probes = facts_about(facts, columns, column);
  if (may_hold(probes, value, null)) visit(value, null);
  end_facts(probes);
}

bool visit_rows_of(const RowScope* scope, const QuerySource* source, int columns,
                   Var* const* column, const RowReceiver& visit) {
  const List* rows = facts_of_rows(scope, source->varno);
  List* read = NIL;
  for (int i = 0; i < columns; i++) read = lappend(read, column[i]);
  read = list_concat_unique(read, columns_of((Node*)rows));
  Var** all = (Var**)palloc(sizeof(Var*) * list_length(read));
  for (int i = 0; i < list_length(read); i++) all[i] = (Var*)list_nth(read, i);
  if (may_be_missing(scope->from, source->varno)) {
    visit_missing(facts_of(source->varno, scope->facts), list_length(read), all, visit);
  }
  FactProbes* facts = facts_about(rows, list_length(read), all);
  int seen = 0;
  run_scan(plan_distinct(source, read), [&](const Datum* value, const bool* null) {
    if (++seen <= kMostCombinations && may_hold(facts, value, null)) visit(value, null);
  });
  end_facts(facts);
  return seen <= kMostCombinations;
}

}  // namespace

Var* public_column(const RowScope* scope, Var* column) {
  if (is_public(scope, column)) return column;
  const ListCell* cell;
  foreach (cell, scope->facts) {
    Var* other = equal_column((Node*)lfirst(cell), column);
    if (other != NULL && is_public(scope, other)) return other;
  }
  return NULL;
}

PublicColumn public_column_below(const RowScope* scope, Var* column) {
  if (Var* here = public_column(scope, column)) return {scope, here, false};
  const LayerColumn* made = layer_column(scope, column);
  const bool handed_on = made != NULL && made->plain != NULL && made->in_row &&
                         source_of(made->scope, made->plain)->table == NULL;
  if (!handed_on) return {};
  return {made->scope, (Var*)made->plain, made->nullable};
}

bool narrow_rows(const RowScope* scope, const Var* column) {
  return facts_of_rows(scope, (Index)column->varno) != NIL;
}

bool visit_public_rows(const RowScope* scope, int columns, Var* const* column,
                       const RowReceiver& visit) {
  return visit_rows_of(scope, source_of(scope, column[0]), columns, column, visit);
}

bool leave_no_public_row(const RowScope* scope) {
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    if (source->table != NULL || facts_of_rows(scope, source->varno) == NIL ||
        rows_in(source->relation) > kFewRows) {
      continue;
    }
    bool any = false;
    const bool all =
        visit_rows_of(scope, source, 0, NULL, [&](const Datum*, const bool*) { any = true; });
    if (all && !any) return true;
  }
  return false;
}

int public_values_left(const RowScope* scope, Var* column, Datum** value) {
  KeyColumn left = {};
  put_type(&left, (Expr*)column);
  left.collation = column->varcollid;
  left.compare = &lookup_type_cache(left.type, TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo;
  int room = 1024;
  left.value = (Datum*)palloc(sizeof(Datum) * room);
  const MemoryContext context = CurrentMemoryContext;
  const bool all = visit_public_rows(scope, 1, &column, [&](const Datum* met, const bool* null) {
    if (null[0]) return;
    const MemoryContext old = MemoryContextSwitchTo(context);
    if (left.categories == room) {
      room *= 2;
      left.value = (Datum*)repalloc(left.value, sizeof(Datum) * room);
    }
    left.value[left.categories++] = plain_copy(left.type, met[0]);
    MemoryContextSwitchTo(old);
  });
  const SortedValues sorted = sorted_values(&left);
  *value = (Datum*)palloc(sizeof(Datum) * (left.categories + 1));
  int count = 0;
  for (int i = 0; i < left.categories; i++) {
    const Datum here = left.value[sorted.number[i]];
    if (count == 0 || compare_values(&left, (*value)[count - 1], here) != 0) {
      (*value)[count++] = here;
    }
  }
  if (!all || count > kMaxGroups) {
    refuse_many_groups(psprintf("Column %s of public table %s has more distinct values.",
                                column_text(scope, column),
                                qualified_name(source_of(scope, column)->relation)));
  }
  return count;
}

void narrow_to_public(const RowScope* scope, KeyColumn* key) {
  if (!IsA(key->expression, Var) || key->categories == 0) return;
  Var* column = (Var*)key->expression;
  Var* other = public_column(scope, column);
  if (other == NULL || (other == column && !narrow_rows(scope, column))) return;
  bool* met = (bool*)palloc0(key->categories);
  const SortedValues sorted = sorted_values(key);
  const bool all = visit_public_rows(scope, 1, &other, [&](const Datum* value, const bool* null) {
    const int number = null[0] ? -1 : find_value(sorted, value[0]);
    if (number >= 0) met[number] = true;
  });
  if (all) keep_values(key, met);
}

}  // namespace dpmix::pg
