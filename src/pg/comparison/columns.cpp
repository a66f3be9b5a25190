#include "pg/comparison/columns.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/scan/caller_scan.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

enum class Role { number, category, neither };

// Numbers with bounds are numbers, whatever categories were declared besides.
Role role_of(const ProtectedTable* table, AttrNumber column) {
  const Oid type = getBaseType(get_atttype(table->relation, column));
  if (type == BOOLOID) return Role::number;
  const ColumnDomain domain = column_domain(table, column);
  if (holds_numbers(type) && domain.has_bounds) return Role::number;
  return domain.categories > 0 ? Role::category : Role::neither;
}

AttrNumber column_of(Oid relation, const char* name) {
  const AttrNumber column = get_attnum(relation, name);
  if (column > 0) return column;
  refuse_argument(psprintf("column \"%s\" does not exist", name),
                  psprintf("Table %s has no such column.", get_rel_name(relation)),
                  "Compare columns that both tables have.");
}

struct Features {
  int numbers;
  Datum* number;
  CompareColumns* columns;
};

// Whose columns they are is the protected table's word; what of them is unfit, model_columns says.
void add_feature(Features* features, const ProtectedTable* table, const char* name, Role role) {
  if (role == Role::number) {
    features->number[features->numbers++] = NameGetDatum((Name)name);
    return;
  }
  CompareColumns* columns = features->columns;
  columns->categories[columns->categorical++] = model_columns(table, NULL, 0, name);
}

// A name in memory of its own, of the full size of a name.
const char* name_of(const char* text) {
  Name name = (Name)palloc0(NAMEDATALEN);
  namestrcpy(name, text);
  return NameStr(*name);
}

void add_named(Features* features, const ProtectedTable* table, const char* name,
               const char* label) {
  const AttrNumber column = column_of(table->relation, name);
  if (label != NULL && strcmp(name, label) == 0) {
    refuse_argument(
        psprintf("label \"%s\" is a feature too", label),
        "A label is compared by its classes, and is what a classifier learns from features.",
        "Leave it out of the features.");
  }
  for (int i = 0; i < features->columns->categorical; i++) {
    if (strcmp(features->columns->categories[i]->label, name) == 0) {
      refuse_argument(psprintf("feature \"%s\" is named twice", name),
                      "Features are distinct columns.", "Name it once.");
    }
  }
  const Role role = role_of(table, column);
  if (role == Role::neither) {
    if (holds_numbers(get_atttype(table->relation, column))) (void)require_bounds(table, column);
    (void)require_categories(table, column);
  }
  add_feature(features, table, name, role);
}

// Columns without a single synthetic value, as dpmix.cda leaves those that it was not asked for,
// are left out: with them, no row would be complete. Which they are, the synthetic table alone
// says.
void add_common(Features* features, const ProtectedTable* table, Oid synthetic, const char* label,
                AttrNumber last) {
  const char** names = (const char**)palloc(last * sizeof(char*));
  Role* roles = (Role*)palloc(last * sizeof(Role));
  int count = 0;
  for (AttrNumber column = 1; column <= last; column++) {
    const char* name = get_attname(table->relation, column, true);
    if (name == NULL || (label != NULL && strcmp(name, label) == 0)) continue;
    if (get_attnum(synthetic, name) <= 0) continue;
    if (is_virtual_column(table->relation, column)) continue;
    const Role role = role_of(table, column);
    if (role == Role::neither) continue;
    names[count] = name_of(name);
    roles[count++] = role;
  }
  const bool* has_value = columns_with_values(synthetic, names, count);
  for (int i = 0; i < count; i++) {
    if (has_value[i]) add_feature(features, table, names[i], roles[i]);
  }
}

int columns_of(Oid relation) {
  Relation open = table_open(relation, NoLock);  // open_protected() holds one
  const int columns = RelationGetNumberOfAttributes(open);
  table_close(open, NoLock);
  return columns;
}

// Features as they are named in the call, and as many as the table may have.
void read_features(Features* features, const ProtectedTable* table, Oid synthetic, ArrayType* named,
                   const char* label) {
  Datum* names = NULL;
  bool* nulls = NULL;
  int count = columns_of(table->relation);
  if (named != NULL) {
    deconstruct_array(named, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, &count);
    if (count > MaxHeapAttributeNumber) {
      refuse_argument(
          "number of features out of range",
          psprintf("There are %d; a table has at most %d columns.", count, MaxHeapAttributeNumber),
          "Name each feature once.");
    }
  }
  features->number = (Datum*)palloc(Max(count, 1) * sizeof(Datum));
  features->columns->categories = (ModelColumns**)palloc(Max(count, 1) * sizeof(ModelColumns*));
  if (named == NULL) {
    add_common(features, table, synthetic, label, (AttrNumber)count);
    return;
  }
  for (int i = 0; i < count; i++) {
    if (nulls[i]) {
      refuse_argument("a feature is NULL", "The array of features holds a NULL.",
                      "Name columns only.");
    }
    add_named(features, table, NameStr(*DatumGetName(names[i])), label);
  }
}

// What a text of one is compared with in the other: its values where types are the same.
Oid compared_type(Oid real, Oid other) {
  return getBaseType(other) == real ? real : TEXTOID;
}

ModelColumns* category_in(Oid synthetic, const ModelColumns* column) {
  ModelColumns* copy = (ModelColumns*)palloc(sizeof(ModelColumns));
  *copy = *column;
  const AttrNumber number = column_of(synthetic, column->label);
  copy->label_type = compared_type(column->label_type, get_atttype(synthetic, number));
  return copy;
}

ModelColumns* numbers_in(Oid synthetic, const ModelColumns* numbers) {
  ModelColumns* copy = (ModelColumns*)palloc(sizeof(ModelColumns));
  *copy = *numbers;
  copy->type = (Oid*)palloc(numbers->features * sizeof(Oid));
  for (int i = 0; i < numbers->features; i++) {
    const char* name = numbers->name[i];
    const Oid declared = get_atttype(synthetic, column_of(synthetic, name));
    copy->type[i] = getBaseType(declared);
    if (!holds_numbers(declared)) (void)number_type(name, declared, -1, 0, 1);  // refuses
    if (cast_between(name, numbers->type[i], declared) != NumberCast::none) {
      refuse_argument(
          psprintf("column \"%s\" is a date in one table and a timestamp in the other", name),
          "Their numbers are days and seconds.",
          "Compare with a view that casts the synthetic column.");
    }
  }
  return copy;
}

}  // namespace

CompareColumns* compare_columns(const ProtectedTable* table, Oid synthetic, ArrayType* features,
                                const char* label, int bins) {
  CompareColumns* columns = (CompareColumns*)palloc0(sizeof(CompareColumns));
  columns->bins = bins;
  if (label != NULL) columns->label = model_columns(table, NULL, 0, label);
  Features read = {0, NULL, columns};
  read_features(&read, table, synthetic, features, label);
  if (read.numbers > 0) {
    ArrayType* names =
        construct_array(read.number, read.numbers, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
    columns->numbers = model_columns(table, names, MomentFrame::max_features, NULL);
  }
  if (columns->numbers == NULL && columns->categorical == 0 && label == NULL) {
    refuse_argument(
        "nothing to compare",
        "No column with bounds or declared categories is in both tables, with a value in the "
        "synthetic one.",
        "Declare bounds with dpmix.set_bounds() or categories with dpmix.set_categories().");
  }
  return columns;
}

CompareColumns* columns_in(Oid synthetic, const CompareColumns* columns) {
  CompareColumns* copy = (CompareColumns*)palloc0(sizeof(CompareColumns));
  *copy = *columns;
  if (columns->numbers != NULL) copy->numbers = numbers_in(synthetic, columns->numbers);
  copy->categories = (ModelColumns**)palloc(Max(columns->categorical, 1) * sizeof(ModelColumns*));
  for (int i = 0; i < columns->categorical; i++) {
    copy->categories[i] = category_in(synthetic, columns->categories[i]);
  }
  if (columns->label != NULL) copy->label = category_in(synthetic, columns->label);
  return copy;
}

int label_column(const CompareColumns* columns) {
  return (columns->numbers != NULL ? columns->numbers->features : 0) + columns->categorical;
}

static const ModelColumns* category_column(const CompareColumns* columns, int column) {
  if (column == label_column(columns)) return columns->label;
  return columns->categories[column - (label_column(columns) - columns->categorical)];
}

const char* column_name(const CompareColumns* columns, int column) {
  if (column < label_column(columns) - columns->categorical) return columns->numbers->name[column];
  return category_column(columns, column)->label;
}

int category_count(const CompareColumns* columns, int column) {
  return category_column(columns, column)->classes;
}

const char* category_name(const CompareColumns* columns, int column, int category) {
  return category_column(columns, column)->category[category];
}

ComparedColumns public_columns(const CompareColumns* columns) {
  ComparedColumns out;
  if (const ModelColumns* n = columns->numbers; n != NULL) {
    out.lower.assign(n->lower, n->lower + n->features);
    out.upper.assign(n->upper, n->upper + n->features);
    for (int i = 0; i < n->features; i++) out.boolean.push_back(n->type[i] == BOOLOID);
  }
  for (int i = 0; i < columns->categorical; i++) {
    out.categories.push_back(columns->categories[i]->classes);
  }
  if (columns->label != NULL) out.classes = columns->label->classes;
  out.bins = columns->bins;
  return out;
}

}  // namespace dpmix::pg
