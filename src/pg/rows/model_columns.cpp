#include "pg/rows/model_columns.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

AttrNumber attribute_named(const ProtectedTable* table, const char* name) {
  const AttrNumber number = asked_column(table, name);
  if (number != InvalidAttrNumber) return number;
  if (table->made != NULL) {
    refuse_argument(psprintf("column \"%s\" does not exist", name),
                    "The source selects no column of that name.",
                    "Name columns of the source, and give computed ones a name with AS.");
  }
  refuse_argument(psprintf("column \"%s\" does not exist", name),
                  psprintf("Table %s has no such column.", table->name),
                  "Name columns of the table as they are stored.");
}

bool is_made_from(const ProtectedTable* table, AttrNumber column, AttrNumber source) {
  Relation relation = table_open(table->relation, AccessShareLock);
  Bitmapset* used = NULL;
  pull_varattnos(build_column_default(relation, column), 1, &used);
  table_close(relation, NoLock);
  return bms_is_member(source - FirstLowInvalidHeapAttributeNumber, used);
}

}  // namespace

// What a pass reads must be there, not made by the owner's code for each row, which could fail; and
// of a label that is all that is protected, features tell nothing.
void check_generated(const ProtectedTable* table, AttrNumber column, const char* name) {
  if (table->made != NULL || get_attgenerated(table->relation, column) == '\0') return;
  if (is_virtual_column(table->relation, column)) {
    refuse_argument(psprintf("column \"%s\" is a virtual generated column", name),
                    "Its expression could fail on a row.", "Use stored columns.");
  }
  if (table->adjacency == Adjacency::label && is_made_from(table, column, table->label)) {
    refuse_argument(psprintf("feature \"%s\" is generated from the label", name),
                    "Under adjacency label all columns but the label are taken for public.",
                    "Leave it out, or have the owner protect the table with another adjacency.");
  }
}

namespace {

// Types whose equality is defined for all values and calls nothing that a user wrote.
bool compares_safely(Oid type) {
  switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case NUMERICOID:
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case NAMEOID:
    case CHAROID:
    case UUIDOID:
    case DATEOID:
      return true;
    default:
      return get_typtype(type) == TYPTYPE_ENUM;
  }
}

void require_safe_comparison(const char* name, Oid declared, const char* what, const char* hint) {
  if (compares_safely(getBaseType(declared))) return;
  refuse_argument(psprintf("column \"%s\" cannot be a %s", name, what),
                  psprintf("It is of type %s.", format_type_be(declared)), hint);
}

void read_feature(const ProtectedTable* table, ModelColumns* columns, int i, const char* name,
                  FeatureKinds taken) {
  for (int j = 0; j < i; j++) {
    if (strcmp(columns->name[j], name) == 0) {
      refuse_argument(psprintf("feature \"%s\" is named twice", name),
                      "Features are distinct columns.", "Name it once.");
    }
  }
  const AttrNumber column = attribute_named(table, name);
  check_generated(table, column, name);
  columns->name[i] = name;
  const Oid declared = asked_type(table, column);
  columns->type[i] = getBaseType(declared);
  const bool boolean = columns->type[i] == BOOLOID, number = holds_numbers(declared);
  columns->lower[i] = 0;
  columns->upper[i] = 1;
  if (taken == FeatureKinds::numbers && (boolean || !number)) {
    (void)number_type(name, declared, -1, 0, 1);  // refuses what holds no numbers
    return;
  }
  ColumnDomain domain = column_domain(table, column);
  if (number && domain.has_bounds) {
    columns->lower[i] = domain.lower;
    columns->upper[i] = domain.upper;
    return;
  }
  const bool categories = domain.categories > 0 && compares_safely(columns->type[i]);
  if (taken == FeatureKinds::numbers_and_categories && (categories || !number)) {
    require_safe_comparison(name, declared, "feature",
                            "Features are numbers, dates, timestamps and booleans, or have "
                            "declared categories: texts, enums, uuids, integers without bounds.");
    domain = require_categories(table, column);
    columns->categories[i] = domain.categories;
    columns->category_texts[i] = domain.category;
    return;
  }
  if (!boolean) (void)require_bounds(table, column);  // refuses
}

void read_label(const ProtectedTable* table, ModelColumns* columns, const char* label) {
  const AttrNumber column = attribute_named(table, label);
  for (int i = 0; i < columns->features; i++) {
    if (strcmp(columns->name[i], label) == 0) {
      refuse_argument(psprintf("label \"%s\" is a feature too", label),
                      "A label names the component of a row; features are what it is a mixture of.",
                      "Leave it out of the features.");
    }
  }
  check_generated(table, column, label);
  columns->label = label;
  const Oid declared = asked_type(table, column);
  columns->label_type = getBaseType(declared);
  require_safe_comparison(label, declared, "label",
                          "Labels are texts, enums, integers, numerics, booleans, dates or uuids.");
  const ColumnDomain domain = require_categories(table, column);
  columns->classes = domain.categories;
  columns->category = domain.category;
}

}  // namespace

// Where a label is what is protected, all other columns are public: whoever wants a mixture of them
// alone needs no release.
void require_label(const ProtectedTable* table, const char* label) {
  if (table->adjacency != Adjacency::label) return;
  const char* declared = get_attname(table->relation, table->label, false);
  if (label != NULL && strcmp(label, declared) == 0) return;
  refuse_argument(
      "the label must be the one that the table protects",
      label == NULL
          ? psprintf("label is NULL; under adjacency label it must be \"%s\".", declared)
          : psprintf("label is \"%s\"; under adjacency label it must be \"%s\".", label, declared),
      psprintf("Use label => '%s': all other columns are public.", declared));
}

ModelColumns* model_columns(const ProtectedTable* table, ArrayType* features, int most,
                            const char* label, FeatureKinds taken) {
  Datum* names = NULL;
  bool* nulls = NULL;
  int count = 0;
  if (features != NULL) {
    deconstruct_array(features, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, &count);
  }
  if (features != NULL && (count < 1 || count > most)) {
    refuse_argument("number of features out of range",
                    psprintf("There are %d; the valid range is 1 to %d.", count, most),
                    "Name the columns that rows of the model shall have.");
  }
  ModelColumns* columns = (ModelColumns*)palloc0(sizeof(ModelColumns));
  columns->features = count;
  columns->name = (const char**)palloc(count * sizeof(char*));
  columns->type = (Oid*)palloc(count * sizeof(Oid));
  columns->lower = (double*)palloc(count * sizeof(double));
  columns->upper = (double*)palloc(count * sizeof(double));
  columns->categories = (int*)palloc0(count * sizeof(int));
  columns->category_texts = (char***)palloc0(count * sizeof(char**));
  columns->classes = 1;
  for (int i = 0; i < count; i++) {
    if (nulls[i]) {
      refuse_argument("a feature is NULL", "The array of features holds a NULL.",
                      "Name columns only.");
    }
    read_feature(table, columns, i, NameStr(*DatumGetName(names[i])), taken);
  }
  if (label != NULL) read_label(table, columns, label);
  return columns;
}

namespace {

// Why no model is to have the column unless it is named; NULL: it may.
const char* reason_against(const ProtectedTable* table, AttrNumber column, Oid declared,
                           FeatureKinds taken) {
  if (is_asked_unit(table, column)) return "the privacy unit";
  if (table->made == NULL && get_attgenerated(table->relation, column) != '\0') return "generated";
  const Oid type = getBaseType(declared);
  const bool boolean = type == BOOLOID, number = holds_numbers(declared);
  if (taken == FeatureKinds::numbers && (boolean || !number)) return "not a number";
  if (boolean) return NULL;
  const ColumnDomain domain = column_domain(table, column);
  if (number && domain.has_bounds) return NULL;
  if (taken == FeatureKinds::numbers) return "no bounds";
  if (!compares_safely(type)) return number ? "no bounds" : "of a type that is not modelled";
  if (domain.categories > 0) return NULL;
  return number ? "no bounds or categories" : "no categories";
}

}  // namespace

ArrayType* declared_columns(const ProtectedTable* table, const char* label, FeatureKinds taken,
                            StringInfo left_out, bool* undeclared) {
  const int all = asked_columns(table);
  Datum* names = (Datum*)palloc(Max(all, 1) * sizeof(Datum));
  int count = 0;
  for (AttrNumber column = 1; column <= all; column++) {
    const char* name = asked_name(table, column);
    if (name == NULL || (label != NULL && strcmp(name, label) == 0)) continue;
    const char* reason = reason_against(table, column, asked_type(table, column), taken);
    if (reason == NULL) {
      names[count++] = name_value(name).datum;
    } else {
      *undeclared |= strncmp(reason, "no ", 3) == 0;
      appendStringInfo(left_out, "%s%s (%s)", left_out->len > 0 ? ", " : "", name, reason);
    }
  }
  if (count == 0) {
    refuse(ErrorCode::domain_missing, "no column of the table can be modelled",
           psprintf("Left out: %s.", left_out->len > 0 ? left_out->data : "all"),
           "The owner declares them with dpmix.declare().");
  }
  return construct_array(names, count, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
}

void add_columns(RowBuilder* rows, const ModelColumns* columns) {
  for (int i = 0; i < columns->features; i++) {
    if (columns->categories[i] > 0) {
      category_column(rows, columns->name[i], columns->categories[i], columns->category_texts[i]);
    } else {
      number_column(rows, columns->name[i], columns->lower[i], columns->upper[i], columns->type[i]);
    }
  }
  if (columns->label != NULL) {
    category_column(rows, columns->label, columns->classes, columns->category);
  }
}

namespace {

void append_category(StringInfo sql, const char* column, Oid base, int count, char* const* texts) {
  const char* type =
      format_type_extended(base, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
  appendStringInfoString(sql, "dpmix_internal.class_number(ARRAY[");
  for (int k = 0; k < count; k++) {
    appendStringInfo(sql, "%s%s::%s", k > 0 ? ", " : "", quote_literal_cstr(texts[k]), type);
  }
  appendStringInfo(sql, "], r.%s::%s)", quote_identifier(column), type);
}

}  // namespace

void append_feature(StringInfo sql, const ModelColumns* columns, int i) {
  if (columns->categories[i] > 0) {
    appendStringInfoChar(sql, '(');
    append_category(sql, columns->name[i], columns->type[i], columns->categories[i],
                    columns->category_texts[i]);
    appendStringInfoString(sql, ")::pg_catalog.float8");
    return;
  }
  const char* name = psprintf("r.%s", quote_identifier(columns->name[i]));
  appendStringInfoString(sql, float8_sql(columns->type[i], name));
}

void append_features(StringInfo sql, const ModelColumns* columns, Missing missing) {
  const ModelRules* rules = columns->rules;
  if (rules != NULL) appendStringInfoString(sql, "dpmix_internal.measured_row(");
  appendStringInfoString(sql, "dpmix_internal.row_vector(");
  for (int i = 0; i < columns->features; i++) {
    if (i > 0) appendStringInfoString(sql, ", ");
    if (missing == Missing::nan) appendStringInfoString(sql, "COALESCE(");
    append_feature(sql, columns, i);
    if (missing == Missing::nan) appendStringInfoString(sql, ", 'NaN'::pg_catalog.float8)");
  }
  appendStringInfoChar(sql, ')');
  if (rules == NULL) return;
  Assert(missing == Missing::nan);
  appendStringInfoString(sql, ", '{");
  for (int i = 0; i < rules->size; i++) {
    appendStringInfo(sql, "%s%.17g", i > 0 ? "," : "", rules->packed[i]);
  }
  appendStringInfoString(sql, "}'::pg_catalog.float8[])");
}

void append_class(StringInfo sql, const ModelColumns* columns) {
  if (columns->label == NULL) {
    appendStringInfoString(sql, "0");
    return;
  }
  append_category(sql, columns->label, columns->label_type, columns->classes, columns->category);
}

const char* records_sql(const ProtectedTable* table, const ModelColumns* columns) {
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "SELECT ");
  append_class(&sql, columns);
  for (int i = 0; i < columns->features; i++) {
    appendStringInfoString(&sql, ", ");
    append_feature(&sql, columns, i);
  }
  appendStringInfo(&sql, " FROM %s AS r", asked_from(table));
  return sql.data;
}

void append_columns_json(StringInfo json, const ModelColumns* columns, int bytes) {
  const int start = json->len;
  appendStringInfoString(json, "\"label\": ");
  if (columns->label == NULL) {
    appendStringInfoString(json, "null");
  } else {
    escape_json(json, columns->label);
  }
  const int before = json->len;
  appendStringInfoString(json, ", \"features\": [");
  for (int i = 0; i < columns->features; i++) {
    if (i > 0) appendStringInfoString(json, ", ");
    escape_json(json, columns->name[i]);
  }
  appendStringInfoChar(json, ']');
  if (json->len - start <= bytes) return;
  json->len = before;
  json->data[before] = '\0';
  appendStringInfo(json, ", \"features\": %d", columns->features);
}

}  // namespace dpmix::pg
