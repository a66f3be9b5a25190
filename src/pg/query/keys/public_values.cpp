#include "pg/query/keys/public_values.hpp"

#include <cmath>

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

#include "pg/border/guard.hpp"
#include "pg/query/keys/bins.hpp"
#include "pg/query/keys/buckets.hpp"
#include "pg/query/keys/narrowing.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

struct Values {  // of a column
  int count;     // 0: not public
  Datum* value;
};

Values categories(const Var* column, const ColumnDomain& domain) {
  return {domain.categories, category_values(domain, column)};
}

bool takes_whole(Oid type, double lower, double upper) {
  if (type == INT2OID) return lower >= PG_INT16_MIN && upper <= PG_INT16_MAX;
  if (type == INT4OID || type == DATEOID) return lower >= PG_INT32_MIN && upper <= PG_INT32_MAX;
  return type == INT8OID || type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID;
}

// lower..upper as a type; below 2^53, so that they are themselves.
Datum whole_number(Oid type, double number) {
  switch (type) {
    case INT2OID:
      return Int16GetDatum((int16)number);
    case INT4OID:
      return Int32GetDatum((int32)number);
    case DATEOID:
      return DateADTGetDatum((DateADT)number);
    case INT8OID:
      return Int64GetDatum((int64)number);
    case FLOAT4OID:
      return Float4GetDatum((float4)number);
    case FLOAT8OID:
      return Float8GetDatum(number);
    default:
      return DirectFunctionCall1(int8_numeric, Int64GetDatum((int64)number));
  }
}

Values whole_numbers(Oid type, double lower, double upper) {
  lower = std::ceil(lower);
  upper = std::floor(upper);
  if (!(upper - lower < kMaxGroups) || std::fabs(lower) > 0x1p52 ||
      !takes_whole(type, lower, upper)) {
    return {0, NULL};
  }
  const int count = (int)(upper - lower) + 1;
  Values values = {count, (Datum*)palloc(sizeof(Datum) * Max(count, 1))};
  for (int i = 0; i < count; i++) values.value[i] = whole_number(type, lower + i);
  return values;
}

Values named_values(const RowScope* scope, const Var* column) {
  Values named = {0, NULL};
  named.count = values_named(scope->facts, column, &named.value);
  return named;
}

Values declared_categories(const RowScope* scope, const Var* column) {
  const ProtectedTable* table = source_of(scope, column)->table;
  const Values declared =
      table == NULL ? Values{} : categories(column, column_domain(table, column->varattno));
  return declared.count > 0 ? declared : named_values(scope, column);
}

Values column_values(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  if (source->table == NULL) return categories(column, categories_of(scope, column));
  const ColumnDomain domain = column_domain(source->table, column->varattno);
  if (domain.categories > 0) return categories(column, domain);
  if (column->vartype == BOOLOID) {
    Values both = {2, (Datum*)palloc(sizeof(Datum) * 2)};
    both.value[0] = BoolGetDatum(false);
    both.value[1] = BoolGetDatum(true);
    return both;
  }
  const bool discrete = is_integer(column->vartype) || column->vartype == DATEOID;
  if (!discrete || !domain.has_bounds) return named_values(scope, column);
  const Values declared = whole_numbers(column->vartype, domain.lower, domain.upper);
  if (declared.count > 0) return declared;  // narrowed later, so that kept tables have all
  const Bounds met = bounds_met(scope->facts, column, {domain.lower, domain.upper}, false, false);
  return whole_numbers(column->vartype, met.lower, met.upper);
}

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

// All combinations of what the columns can be, NULL among it, if they are few enough.
bool evaluate_all(const RowScope* scope, KeyColumn* key, int64 most) {
  const List* list = columns_of((Node*)key->expression);
  const int columns = list_length(list);
  Var** column = (Var**)palloc(sizeof(Var*) * columns);
  Values* values = (Values*)palloc(sizeof(Values) * columns);
  int64 combinations = 1;
  for (int i = 0; i < columns; i++) {
    column[i] = (Var*)list_nth(list, i);
    values[i] = column_values(scope, column[i]);
    if (values[i].count == 0) return false;
    combinations *= values[i].count + 1;
    if (combinations > most) return false;
  }
  key->value = (Datum*)palloc(sizeof(Datum) * combinations);
  key->shown = (Datum*)palloc(sizeof(Datum) * combinations);
  Datum* chosen = (Datum*)palloc(sizeof(Datum) * columns);
  bool* missing = (bool*)palloc(sizeof(bool) * columns);
  KeyProbe* expression = probe_of(key->expression, columns, column);
  FactProbes* facts = facts_about(scope->facts, columns, column);
  for (int64 n = 0; n < combinations; n++) {
    CHECK_FOR_INTERRUPTS();
    int64 rest = n;
    for (int i = columns - 1; i >= 0; i--) {  // the first column slowest
      const int choice = (int)(rest % (values[i].count + 1));
      missing[i] = choice == values[i].count;
      chosen[i] = missing[i] ? (Datum)0 : values[i].value[choice];
      rest /= values[i].count + 1;
    }
    if (!may_hold(facts, chosen, missing)) continue;
    bool null;
    const Datum value = evaluate_probe(expression, chosen, missing, &null);
    if (!null) put_value(key, value);
  }
  end_probe(expression);
  end_facts(facts);
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

bool take_bins(const RowScope* scope, const QueryKey* asked, KeyColumn* key) {
  Values values = {0, NULL};
  values.count = find_bins(scope, asked, key, &values.value);
  if (values.count > 0) take_values(key, values);
  return values.count > 0;
}

// Whole numbers between the bounds of the expression.
bool take_range(const RowScope* scope, const QueryKey* asked, KeyColumn* key) {
  if (!is_number(key->shown_type) || IsA(asked->expression, Var)) return false;
  const SafeNumber number = safe_number(scope, (Node*)asked->expression, "GROUP BY");
  if (!number.integral) {
    refuse(ErrorCode::domain_missing,
           "a group key of numbers that need not be whole has no public values",
           psprintf("Its bounds are %g and %g.", number.lower, number.upper),
           "Group by floor(...) or width_bucket(x, lower, upper, n).");
  }
  const Values values = whole_numbers(key->type, number.lower, number.upper);
  if (values.count == 0) {
    refuse_many_groups(
        psprintf("A group key has whole numbers from %.0f to %.0f.", number.lower, number.upper));
  }
  take_values(key, values);
  return true;
}

// Without a reference to where the row keeps it.
Datum copied(Oid type, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value))
                      : datumCopy(value, by_value, length);
}

// Of a column, as the owner or the caller would have to write it.
[[noreturn]] void refuse_column(const RowScope* scope, const Var* column) {
  const ProtectedTable* table = source_of(scope, column)->table;
  const char* name = column_text(scope, column);
  const ColumnDomain domain = column_domain(table, column->varattno);
  const char* message = psprintf("the values of group key %s are not public", name);
  if (is_number(column->vartype) && domain.has_bounds) {
    refuse(ErrorCode::domain_missing, message,
           psprintf("Its bounds are %g and %g; it has no declared categories.", domain.lower,
                    domain.upper),
           psprintf("Group by floor(%s / 10), or by width_bucket(%s, %g, %g, 10), or pass keys => "
                    "'discover'.",
                    name, name, domain.lower, domain.upper));
  }
  refuse(ErrorCode::domain_missing, message,
         psprintf("dpmix never derives them from the rows of %s.", table->name),
         psprintf("Pass keys => 'discover' (in plain SQL, SET dpmix.keys = 'discover'), which "
                  "finds the groups that enough units are in; or the "
                  "owner states them: SELECT dpmix.set_categories(%s, %s, '{...}');",
                  quote_literal_cstr(table->name),
                  quote_literal_cstr(get_attname(table->relation, column->varattno, false))));
}

[[noreturn]] void refuse_unknown(const RowScope* scope, const QueryKey* asked) {
  const Node* expression = (const Node*)asked->expression;
  if (IsA(expression, Var)) refuse_column(scope, (const Var*)expression);
  refuse(
      ErrorCode::domain_missing,
      psprintf("the values of group key %s are not public", expression_text(scope, expression)),
      psprintf("They do not follow from categories or bounds of its columns, or are more than %d.",
               kMaxGroups),
      "Let the owner declare categories (dpmix.set_categories) or bounds (dpmix.set_bounds) of its "
      "columns, or pass keys => 'discover' (in plain SQL, SET dpmix.keys = 'discover').");
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
      *shown = key->typmod >= 0 ? copied(key->type, value) : DirectFunctionCall1(rtrim1, value);
      return true;
    default:
      *shown = copied(key->type, value);
      return true;
  }
}

namespace {

// Days between bounds are the finest buckets of their column.
void note_days(const RowScope* scope, const Var* column, KeyColumn* key) {
  const ProtectedTable* table = source_of(scope, column)->table;
  if (column->vartype != DATEOID || table == NULL) return;
  const ColumnDomain domain = column_domain(table, column->varattno);
  if (domain.categories > 0 || !domain.has_bounds) return;
  key->cut = column;
  const Places all = {DatumGetDateADT(key->value[0]),
                      DatumGetDateADT(key->value[key->categories - 1])};
  key->ranges = places_met({(Index)column->varno, column->varattno, all}, scope->facts);
  key->step = 1;
}

}  // namespace

int public_values_of(const RowScope* scope, const Var* column, Datum** value) {
  const Values values = column_values(scope, column);
  *value = values.value;
  return values.count;
}

void find_public_values(const RowScope* scope, const QueryKey* asked, bool required,
                        KeyColumn* key) {
  key->shown_type = asked->type;
  if (find_buckets(scope, asked, key)) return;
  key->expression = safe_key(scope, (Node*)asked->expression);
  key->type = exprType((const Node*)key->expression);
  key->typmod = exprTypmod((const Node*)key->expression);
  key->collation = exprCollation((const Node*)key->expression);
  if (IsA(key->expression, Var)) {
    const Var* column = (const Var*)key->expression;
    const Values values =
        required ? column_values(scope, column) : declared_categories(scope, column);
    if (values.count > 0) {
      take_values(key, values);
      note_days(scope, column, key);
      return;
    }
  }
  if (!required) return;
  if (take_both(key) || take_constants(key) || evaluate_all(scope, key, kFewValues) ||
      take_bins(scope, asked, key) || evaluate_all(scope, key, kMaxGroups) ||
      take_range(scope, asked, key)) {
    return;
  }
  refuse_unknown(scope, asked);
}

}  // namespace dpmix::pg
