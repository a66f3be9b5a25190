#include "pg/rows/rules.hpp"

#include <cmath>
#include <vector>

#include "core/input/row_rules.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_rule(const char* rule, const char* why, const char* hint) {
  refuse_argument(psprintf("the rule %s cannot be kept", rule), why, hint);
}

// What of a column a rule depends on.
struct Ruled {
  const char* name;
  Oid type;  // below domains
  int32 typmod;
  bool has_bounds;
  double lower, upper;
  NumberType number;  // how a row writes it; where it has bounds
};

using Lookup = Callable<Ruled(const char* rule, const char* name)>;

Ruled with_bounds(Ruled ruled, double lower, double upper) {
  ruled.has_bounds = true;
  ruled.lower = lower;
  ruled.upper = upper;
  ruled.number = number_type(ruled.name, ruled.type, ruled.typmod, lower, upper);
  return ruled;
}

Ruled ruled_column(const ProtectedTable* table, const char* rule, const char* name) {
  const AttrNumber column = asked_column(table, name);
  if (column == InvalidAttrNumber) {
    refuse_rule(rule, psprintf("Table %s has no column \"%s\".", table->name, name),
                "Name columns of the table.");
  }
  Ruled ruled = {name, InvalidOid, -1, false, 0, 0, {}};
  Oid declared, collation;
  get_atttypetypmodcoll(table->relation, column, &declared, &ruled.typmod, &collation);
  ruled.type = getBaseTypeAndTypmod(declared, &ruled.typmod);
  const ColumnDomain domain = column_domain(table, column);
  if (!holds_numbers(ruled.type) || ruled.type == BOOLOID || !domain.has_bounds) return ruled;
  return with_bounds(ruled, domain.lower, domain.upper);
}

bool is_whole_type(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

// Whether values of the two are written on one grid, so that no rounding turns them round.
bool on_one_grid(const Ruled& a, const Ruled& b) {
  if (is_whole_type(a.type) && is_whole_type(b.type)) return true;
  if (a.type != b.type) return false;
  if (a.has_bounds && b.has_bounds && a.number.units != b.number.units) return false;
  switch (a.type) {
    case NUMERICOID:
      return a.typmod >= (int32)VARHDRSZ && b.typmod >= (int32)VARHDRSZ;
    case FLOAT8OID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return true;
    default:
      return false;
  }
}

// A bound between two values that the type writes would be moved, and one beyond them, too.
void require_bounds_on_grid(const char* rule, const Ruled& ruled) {
  if (!ruled.has_bounds || ruled.number.units == 0) return;
  const bool whole = is_whole_type(ruled.type) || ruled.type == DATEOID;
  const double low = whole ? std::ceil(ruled.lower) : ruled.lower * ruled.number.units,
               high = whole ? std::floor(ruled.upper) : ruled.upper * ruled.number.units;
  const auto near = [](double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::fmax(1, std::abs(a));
  };
  if (near(low, ruled.number.low) && near(high, ruled.number.high)) return;
  refuse_rule(rule,
              psprintf("Bounds of column \"%s\" are no values of its type, %s.", ruled.name,
                       format_type_with_typemod(ruled.type, ruled.typmod)),
              "Declare bounds that a row can have.");
}

void require_one_grid(const char* rule, const Ruled& a, const Ruled& b) {
  require_bounds_on_grid(rule, a);
  require_bounds_on_grid(rule, b);
  if (on_one_grid(a, b)) return;
  refuse_rule(rule,
              psprintf("Column \"%s\" is of type %s, column \"%s\" of type %s.", a.name,
                       format_type_with_typemod(a.type, a.typmod), b.name,
                       format_type_with_typemod(b.type, b.typmod)),
              "A rule is of whole numbers, or of columns of one type: numeric with a declared "
              "scale, double precision, and for an order date, timestamp or timestamptz.");
}

void check_order(const ColumnRule& rule, Lookup find) {
  const char* text = order_text(rule);
  const Ruled column = find(text, rule.column), other = find(text, rule.at_least);
  require_one_grid(text, column, other);
  if (!column.has_bounds || !other.has_bounds || other.upper <= column.upper) return;
  refuse_rule(text,
              psprintf("The upper bound of column \"%s\" is below that of column \"%s\".",
                       rule.column, rule.at_least),
              "Declare bounds within which each row can keep it.");
}

void check_sum(const ColumnRule& rule, Lookup find) {
  const char* text = sum_text(rule);
  const Ruled sum = find(text, rule.column);
  double lower = 0, upper = 0;
  bool bounds = sum.has_bounds;
  for (int i = 0; i < rule.parts; i++) {
    const Ruled part = find(text, rule.sum_of[i]);
    require_one_grid(text, sum, part);
    if (part.type == DATEOID || part.type == TIMESTAMPOID || part.type == TIMESTAMPTZOID) {
      refuse_rule(text, psprintf("Column \"%s\" is in time.", part.name), "Add up numbers.");
    }
    bounds = bounds && part.has_bounds;
    lower += part.lower;
    upper += part.upper;
  }
  const bool small = std::fmax(std::abs(lower), std::abs(upper)) <= 1e15;
  if (!bounds || (sum.lower <= lower && upper <= sum.upper && small)) return;
  refuse_rule(
      text,
      psprintf("Its parts are between %g and %g together, and column \"%s\" between %g and %g.",
               lower, upper, rule.column, sum.lower, sum.upper),
      psprintf("Declare bounds of column \"%s\" that reach as far as the sums, at most 1e15.",
               rule.column));
}

void check_rule(const ColumnRule& rule, Lookup find) {
  if (rule.at_least != NULL) check_order(rule, find);
  if (rule.parts > 0) check_sum(rule, find);
  if (rule.present_with != NULL) (void)find(presence_text(rule), rule.present_with);
}

void check_rule(const ProtectedTable* table, const ColumnRule& rule) {
  check_rule(rule,
             [&](const char* text, const char* name) { return ruled_column(table, text, name); });
}

using Place = int (*)(const char* name, const void* of);

// The rules, of columns that have these places; Error PV005 where they cannot be kept together.
void set_rule(std::vector<RuledColumn>* columns, const ColumnRule& rule, Place place,
              const void* of) {
  RuledColumn& ruled = (*columns)[(Size)place(rule.column, of)];
  if (rule.at_least != NULL) ruled.at_least = place(rule.at_least, of);
  if (rule.present_with != NULL) ruled.present_with = place(rule.present_with, of);
  for (int k = 0; k < rule.parts; k++) ruled.sum_of.push_back(place(rule.sum_of[k], of));
  ruled.units = rule.units;
}

int feature_named(const char* name, const void* of) {  // -1: none
  const auto* columns = (const ModelColumns*)of;
  for (int i = 0; i < columns->features; i++) {
    if (strcmp(columns->name[i], name) == 0) return i;
  }
  return -1;
}

bool is_among(const ColumnRule& rule, Callable<int(const char*)> place) {
  bool all = place(rule.column) >= 0;
  if (rule.at_least != NULL) all = all && place(rule.at_least) >= 0;
  for (int k = 0; k < rule.parts; k++) all = all && place(rule.sum_of[k]) >= 0;
  return all;
}

}  // namespace

ColumnRules rules_in(const ProtectedTable* table, Callable<int(const char*)> place) {
  ColumnRules rules = column_rules(table);
  int kept = 0;
  for (int i = 0; i < rules.count; i++) {
    ColumnRule rule = rules.rule[i];
    if (rule.present_with != NULL && place(rule.present_with) < 0) {
      rule.present_with = NULL;  // of the others a row can keep its order
    }
    const bool says = rule.at_least != NULL || rule.parts > 0 || rule.present_with != NULL;
    if (says && is_among(rule, place)) rules.rule[kept++] = rule;
  }
  rules.count = kept;
  return rules;
}

const ModelRules* rules_among(const ProtectedTable* table, const ModelColumns* columns) {
  const ColumnRules rules =
      rules_in(table, [&](const char* name) { return feature_named(name, columns); });
  const int kept = rules.count;
  if (kept == 0) return NULL;
  for (int i = 0; i < kept; i++) {
    ColumnRule* rule = &rules.rule[i];
    check_rule(table, *rule);
    if (rule->parts == 0) continue;
    rule->units = ruled_column(table, sum_text(*rule), rule->column).number.units;
  }
  ModelRules* made = (ModelRules*)palloc0(sizeof(ModelRules));
  made->rules = rules;
  guard([&] {
    std::vector<RuledColumn> ruled((Size)columns->features);
    for (int i = 0; i < columns->features; i++) {
      RuledColumn& column = ruled[(Size)i];
      column.number = columns->categories[i] == 0;
      column.whole = is_whole_type(columns->type[i]) || columns->type[i] == DATEOID ||
                     columns->type[i] == BOOLOID;
      column.lower = columns->lower[i];
      column.upper = columns->upper[i];
    }
    for (int i = 0; i < kept; i++) {
      set_rule(&ruled, rules.rule[i], feature_named, columns);
    }
    const std::vector<double> packed = RowRules(ruled).pack();
    made->size = (int)packed.size();
    postgres([&] { made->packed = (double*)palloc(packed.size() * sizeof(double)); });
    memcpy(made->packed, packed.data(), packed.size() * sizeof(double));
  });
  return made;
}

// That they lead nowhere in a circle, RowRules says: of numbers without bounds of their own.
void check_rules(const ProtectedTable* table) {
  const ColumnRules rules = column_rules(table);
  for (int i = 0; i < rules.count; i++) check_rule(table, rules.rule[i]);
  const int columns = asked_columns(table);
  const auto place = [](const char* name, const void* of) {
    int column = 0;
    postgres([&] { column = asked_column((const ProtectedTable*)of, name); });
    return column;
  };
  guard([&] {
    std::vector<RuledColumn> ruled((Size)columns + 1);
    for (int i = 0; i < rules.count; i++) {
      set_rule(&ruled, rules.rule[i], place, table);
    }
    for (RuledColumn& column : ruled) column.lower = column.upper = 0;
    (void)RowRules(std::move(ruled));
  });
}

void check_ruled_rows(const RowBuilder* rows, const ModelColumns* columns) {
  if (columns->rules == NULL) return;
  check_ruled_rows(rows, columns->rules->rules, columns->lower, columns->upper,
                   [&](const char* name) { return feature_named(name, columns); });
}

void check_ruled_rows(const RowBuilder* rows, const ColumnRules& rules, const double* lower,
                      const double* upper, Callable<int(const char*)> place) {
  for (int i = 0; i < rules.count; i++) {
    ColumnRule rule = rules.rule[i];
    rule.present_with = NULL;
    const auto find = [&](const char*, const char* name) {
      Ruled ruled = {name, InvalidOid, -1, false, 0, 0, {}};
      ruled.type = row_type_of(rows, name, &ruled.typmod);
      const int at = place(name);
      return with_bounds(ruled, lower[at], upper[at]);
    };
    check_rule(rule, find);
    if (rule.parts == 0 || find(NULL, rule.column).number.units == rule.units) continue;
    refuse_rule(sum_text(rule), "Columns of the row type have other decimals than the table's.",
                "Use the table's own row type.");
  }
}

namespace {

void append_text(StringInfo out, const char* text, bool json) {
  if (out->len > 0 && out->data[out->len - 1] != '[') appendStringInfoString(out, ", ");
  if (json) {
    escape_json(out, text);
  } else {
    appendStringInfoString(out, text);
  }
}

void append_rules(StringInfo out, const ModelRules* rules, bool json) {
  for (int i = 0; i < rules->rules.count; i++) {
    const ColumnRule& rule = rules->rules.rule[i];
    if (rule.at_least != NULL) append_text(out, order_text(rule), json);
    if (rule.parts > 0) append_text(out, sum_text(rule), json);
    if (rule.present_with != NULL) append_text(out, presence_text(rule), json);
  }
}

}  // namespace

void append_rules_json(StringInfo json, const ModelRules* rules, int bytes) {
  const int start = json->len;
  appendStringInfoChar(json, '[');
  append_rules(json, rules, true);
  appendStringInfoChar(json, ']');
  if (json->len - start <= bytes) return;
  json->len = start;
  json->data[start] = '\0';
  appendStringInfo(json, "%d", rules->rules.count);
}

const char* rules_text(const ModelRules* rules) {
  StringInfoData text;
  initStringInfo(&text);
  append_rules(&text, rules, false);
  return text.data;
}

}  // namespace dpmix::pg
