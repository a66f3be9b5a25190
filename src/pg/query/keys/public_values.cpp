#include "pg/query/keys/public_values.hpp"

#include <algorithm>
#include <cmath>

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/border/guard.hpp"
#include "pg/query/keys/bins.hpp"
#include "pg/query/keys/branches.hpp"
#include "pg/query/keys/buckets.hpp"
#include "pg/query/keys/calendar.hpp"
#include "pg/query/keys/column_values.hpp"
#include "pg/query/keys/fact_probes.hpp"
#include "pg/query/keys/narrowing.hpp"
#include "pg/query/keys/null_keys.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/public_rows.hpp"
#include "pg/query/keys/refused_keys.hpp"
#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/keys/steps.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/labels.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

// A float8 as the type that it has in the query; false where it is no value of it.
bool shown_number(Oid type, double number, Datum* shown) {
  if (type == FLOAT4OID || type == FLOAT8OID) {
    *shown = type == FLOAT8OID ? Float8GetDatum(number) : Float4GetDatum((float4)number);
    return true;
  }
  if (type == NUMERICOID) {
    *shown = DirectFunctionCall1(float8_numeric, Float8GetDatum(number));
    return true;
  }
  if (number != std::floor(number) || std::fabs(number) > 0x1p53 ||
      !takes_whole(type, number, number)) {
    return false;
  }
  *shown = whole_number(type, number);
  return true;
}

void put_value(KeyColumn* key, Datum value) {
  Datum shown = value;
  if (key->type != key->shown_type &&
      !shown_number(key->shown_type, DatumGetFloat8(value), &shown)) {
    return;
  }
  key->value[key->categories] = value;
  key->shown[key->categories++] = shown;
}

void take_values(KeyColumn* key, const Values& values) {
  key->value = (Datum*)palloc(sizeof(Datum) * Max(values.count, 1));
  key->shown = (Datum*)palloc(sizeof(Datum) * Max(values.count, 1));
  for (int i = 0; i < values.count; i++) put_value(key, values.value[i]);
}

// So few that each is looked at even where bins would do.
constexpr int64 kFewValues = 10000;

// What columns can be, in all combinations, NULL among it where they may be NULL.
struct ColumnValues {
  int columns;
  Var** column;
  Values* values;
  bool* nullable;
  int64 combinations;
};

// place: a column more, which has this value; NULL: none. False: they are not public, or too many.
bool read_values(const RowScope* scope, const List* columns, Var* place, Datum value, int64 most,
                 ColumnValues* read) {
  const int count = list_length(columns);
  *read = {0, (Var**)palloc(sizeof(Var*) * (count + 1)),
           (Values*)palloc(sizeof(Values) * (count + 1)), (bool*)palloc(sizeof(bool) * (count + 1)),
           1};
  const ListCell* cell;
  foreach (cell, columns) {
    Var* column = (Var*)lfirst(cell);
    const int i = read->columns++;
    read->column[i] = column;
    if (equal(column, place)) {
      Datum* only = (Datum*)palloc(sizeof(Datum));
      *only = value;
      read->values[i] = {1, only};
      read->nullable[i] = false;
    } else {
      read->values[i] = column_values(scope, column);
      read->nullable[i] = may_be_null(scope, column);
    }
    if (read->values[i].count == 0) return false;
    read->combinations *= read->values[i].count + 1;
    if (read->combinations > most) return false;
  }
  return true;
}

// The distinct results of an expression for those for which the facts about the columns hold.
void put_results(const RowScope* scope, const Expr* expression, const ColumnValues& of,
                 KeyColumn* key) {
  Datum* chosen = (Datum*)palloc(sizeof(Datum) * (of.columns + 1));
  bool* missing = (bool*)palloc(sizeof(bool) * (of.columns + 1));
  KeyProbe* probe = probe_of(expression, of.columns, of.column);
  FactProbes* facts = facts_about(scope->facts, of.columns, of.column);
  for (int64 n = 0; n < of.combinations; n++) {
    CHECK_FOR_INTERRUPTS();
    int64 rest = n;
    bool possible = true;
    for (int i = of.columns - 1; i >= 0; i--) {  // the first column slowest
      const int choice = (int)(rest % (of.values[i].count + 1));
      missing[i] = choice == of.values[i].count;
      chosen[i] = missing[i] ? (Datum)0 : of.values[i].value[choice];
      possible = possible && (!missing[i] || of.nullable[i]);
      rest /= of.values[i].count + 1;
    }
    if (!possible || !may_hold(facts, chosen, missing)) continue;
    bool null;
    const Datum value = evaluate_probe(probe, chosen, missing, &null);
    key->has_null = key->has_null || null;
    if (!null) put_value(key, value);
  }
  end_probe(probe);
  end_facts(facts);
}

void make_room(KeyColumn* key, int64 more) {
  const Size size = sizeof(Datum) * (Size)(key->categories + more + 1);
  key->value = (Datum*)(key->value == NULL ? palloc(size) : repalloc_huge(key->value, size));
  key->shown = (Datum*)(key->shown == NULL ? palloc(size) : repalloc_huge(key->shown, size));
}

// All combinations of what the columns can be, if they are few enough; and what follows from
// constants that other values lead to.
bool evaluate_all(const RowScope* scope, KeyColumn* key, int64 most) {
  ColumnValues values;
  if (!read_values(scope, columns_of((Node*)key->expression), NULL, 0, most, &values)) return false;
  make_room(key, values.combinations);
  put_results(scope, key->expression, values, key);
  const ListCell* cell;
  foreach (cell, open_branches(scope, key->expression)) {
    const Branch* branch = (const Branch*)lfirst(cell);
    Var* place = makeVar(kPlace, 1, exprType((const Node*)branch->choice), -1,
                         exprCollation((const Node*)branch->choice), 0);
    Expr* image = steps_over(key->expression, branch->choice, place);
    if (!read_values(scope, columns_of((Node*)image), place, branch->result->constvalue, most,
                     &values)) {
      continue;  // no more is public
    }
    make_room(key, values.combinations);
    put_results(scope, image, values, key);
  }
  return true;
}

// The constants of all branches, as the safe expression has them.
bool take_constants(KeyColumn* key) {
  if (!IsA(key->expression, CaseExpr)) return false;
  const CaseExpr* choice = (const CaseExpr*)key->expression;
  List* results = NIL;
  ListCell* cell;
  foreach (cell, choice->args) results = lappend(results, lfirst_node(CaseWhen, cell)->result);
  if (choice->defresult != NULL) results = lappend(results, choice->defresult);
  foreach (cell, results) {
    if (!IsA(lfirst(cell), Const)) return false;
  }
  Values values = {0, (Datum*)palloc(sizeof(Datum) * list_length(results))};
  foreach (cell, results) {
    const Const* constant = lfirst_node(Const, cell);
    if (!constant->constisnull) values.value[values.count++] = constant->constvalue;
  }
  take_values(key, values);
  return true;
}

bool take_both(KeyColumn* key) {
  if (key->type != BOOLOID) return false;
  Datum both[] = {BoolGetDatum(false), BoolGetDatum(true)};
  take_values(key, {2, both});
  return true;
}

bool take_calendar(const RowScope* scope, KeyColumn* key) {
  Values values = {0, NULL};
  values.count = find_calendar_values(scope, key, &values.value);
  if (values.count > 0) take_values(key, values);
  key->missing = key->expression;
  return values.count > 0;
}

bool take_bins(const RowScope* scope, const QueryKey* asked, KeyColumn* key) {
  Values values = {0, NULL};
  values.count = find_bins(scope, asked, key, &values.value);
  if (values.count > 0) take_values(key, values);
  return values.count > 0;
}

// Whole numbers between the bounds of the expression.
bool take_range(const RowScope* scope, const QueryKey* asked, KeyColumn* key) {
  if (!is_number(key->shown_type) || IsA(asked->expression, Var)) return false;
  SafeNumber number;
  if (!bounded_number(scope, (Node*)asked->expression, &number) || !number.integral) return false;
  const Values values = whole_numbers(key->type, number.lower, number.upper);
  take_values(key, values);
  return values.count > 0;
}

}  // namespace

bool shown_key(const KeyColumn* key, Datum value, Datum* shown) {
  if (key->type != key->shown_type) {
    return shown_number(key->shown_type, DatumGetFloat8(value) + 0.0, shown);
  }
  switch (key->type) {
    case FLOAT4OID:
      *shown = Float4GetDatum(DatumGetFloat4(value) + 0.0f);  // -0 is 0
      return true;
    case FLOAT8OID:
      *shown = Float8GetDatum(DatumGetFloat8(value) + 0.0);
      return true;
    case NUMERICOID:
      *shown = DirectFunctionCall1(numeric_trim_scale, value);
      return true;
    case BPCHAROID:  // equal but for blanks at the end; of char(n) all have as many
      *shown = key->typmod >= 0 ? plain_copy(key->type, value) : DirectFunctionCall1(rtrim1, value);
      return true;
    default:
      *shown = plain_copy(key->type, value);
      return true;
  }
}

namespace {

// Days between bounds are the finest buckets of their column.
void note_days(const RowScope* scope, const Var* column, KeyColumn* key) {
  const ProtectedTable* table = source_of(scope, column)->table;
  if (column->vartype != DATEOID || table == NULL) return;
  const ColumnDomain domain = domain_of(scope, column);
  if (domain.categories > 0 || !domain.has_bounds) return;
  key->cut = column;
  const Places all = {DatumGetDateADT(key->value[0]),
                      DatumGetDateADT(key->value[key->categories - 1])};
  key->ranges = places_met({(Index)column->varno, column->varattno, all}, scope->facts);
  key->step = 1;
}

// Gives the key of a public table without rows a value that stands for no row.
void take_none(KeyColumn* key) {
  const int16 length = get_typlen(key->type);
  Datum none = key->type == NUMERICOID   ? whole_number(NUMERICOID, 0)
               : get_typbyval(key->type) ? (Datum)0
               : length == -1            ? PointerGetDatum(cstring_to_text(""))
                                         : PointerGetDatum(palloc0(length));
  take_values(key, {1, &none});
  key->none = true;
}

// Adds the values of a column that a layer cut of one below. False: they are not public.
bool add_values_of_bucket(const LayerColumn* made, Oid type, Values* values) {
  const Node* bucket = (const Node*)made->bucket;
  const QueryKey asked = {made->bucket, exprType(bucket), exprTypmod(bucket), exprCollation(bucket),
                          NULL};
  KeyColumn below = {};
  if (!find_buckets(made->scope, &asked, &below) || below.type != type) return false;
  const int count = values->count + below.categories;
  Datum* all = (Datum*)palloc(sizeof(Datum) * (count + 1));
  std::copy_n(values->value, values->count, all);
  std::copy_n(below.value, below.categories, all + values->count);
  *values = {count, all};
  return true;
}

// Puts values in order, each once.
void sort_values(const Var* column, Values* values) {
  FmgrInfo* compare = &lookup_type_cache(column->vartype, TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo;
  const auto less = [&](Datum a, Datum b) {
    return DatumGetInt32(FunctionCall2(compare, a, b)) < 0;
  };
  std::sort(values->value, values->value + values->count, less);
  const auto same = [&](Datum a, Datum b) { return !less(a, b); };  // a is not greater
  values->count =
      (int)(std::unique(values->value, values->value + values->count, same) - values->value);
}

// The values of a column that layers cut of columns below: those of each side of a set operation.
Values values_of_bucket(const RowScope* scope, const Var* column) {
  const LayerColumn* made = layer_column(scope, column);
  if (made == NULL) return {};
  const List* sides = made->bucket != NULL ? list_make1((void*)made) : made->buckets;
  Values values = {0, NULL};
  const ListCell* cell;
  foreach (cell, sides) {
    if (!add_values_of_bucket((const LayerColumn*)lfirst(cell), column->vartype, &values)) {
      return {};
    }
  }
  sort_values(column, &values);
  return values;
}

}  // namespace

void find_public_values(const RowScope* scope, const QueryKey* asked, ValuesAsked wanted,
                        KeyColumn* key) {
  key->shown_type = asked->type;
  if (find_buckets(scope, asked, key)) {
    find_null(scope, asked, key);
    return;
  }
  const double before = scope->bytes->staying;
  key->expression = safe_key(scope, (Node*)asked->expression, &key->bytes);
  key->row_bytes = scope->bytes->staying - before;
  key->type = exprType((const Node*)key->expression);
  key->typmod = exprTypmod((const Node*)key->expression);
  key->collation = exprCollation((const Node*)key->expression);
  key->missing = key->expression;
  if (IsA(key->expression, Var)) {
    const Var* column = (const Var*)key->expression;
    Values values = values_of_bucket(scope, column);
    if (values.count == 0) {
      values = wanted == ValuesAsked::declared ? declared_values(scope, column)
                                               : column_values(scope, column);
    }
    if (values.count > 0) {
      take_values(key, values);
      note_days(scope, column, key);
      find_null(scope, asked, key);
      return;
    }
    if (wanted != ValuesAsked::declared && source_of(scope, column)->table == NULL) {
      take_none(key);
      find_null(scope, asked, key);
      return;
    }
  }
  if (wanted == ValuesAsked::declared) {
    find_null(scope, asked, key);
    return;
  }
  const auto with_null = [&](bool found) {
    if (found) find_null(scope, asked, key);
    return found;
  };
  if (with_null(take_both(key) || take_constants(key)) || evaluate_all(scope, key, kFewValues) ||
      with_null(take_calendar(scope, key) || take_bins(scope, asked, key)) ||
      evaluate_all(scope, key, kMaxGroups) || with_null(take_range(scope, asked, key))) {
    return;
  }
  if (wanted == ValuesAsked::required) refuse_key(scope, asked);
}

}  // namespace dpmix::pg
