// The columns that a model of a protected table is made of: features with public bounds or, where
// the model takes them, public categories, a label with public categories; and the text that reads
// them as float8 values and a class number, for every value that a row can hold.
#pragma once

#include "pg/catalog/column_rules.hpp"
#include "pg/catalog/protected_table.hpp"
#include "pg/rows/builder.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/array.h"
}

namespace dpmix::pg {

struct ModelRules {   // in plain memory; pg/rows/rules.hpp makes them
  ColumnRules rules;  // those all of whose columns are features of the model
  double* packed;     // RowRules::pack(), of the features
  int size;
};

struct ModelColumns {
  int features;
  const char** name;
  Oid* type;  // types below domains
  double *lower, *upper;
  int* categories;          // 0: a number
  char*** category_texts;   // each feature's, as declared
  const char* label;        // NULL: none
  Oid label_type;           // the type below domains
  int classes;              // 1 without a label
  char** category;          // each class's, as declared; NULL without a label
  const ModelRules* rules;  // that the model keeps; NULL: none
};

// Which features a model takes: numbers, or categories too. Of the latter a column with bounds is
// still a number, one with categories alone (of any type that a label may have) is not.
enum class FeatureKinds { numbers, numbers_and_categories };

// PV005 under adjacency label unless it is the label that the table protects. NULL: none.
void require_label(const ProtectedTable* table, const char* label);
// PV005: a column that is not stored or, under adjacency label, one that is generated from the
// label and so tells of it. name: the column's.
void check_generated(const ProtectedTable* table, AttrNumber column, const char* name);
// PV005: features not 1 to `most` distinct columns that hold what the model takes, a label that is
// a feature or of a type whose values do not compare safely. PV003: bounds or categories missing.
// Booleans need neither: 0 and 1. features NULL: none, the label alone.
ModelColumns* model_columns(const ProtectedTable* table, ArrayType* features, int most,
                            const char* label, FeatureKinds taken = FeatureKinds::numbers);

// Names of all columns but the label, the privacy unit's and generated ones that model_columns
// would take, in the table's order; PV003 where there is none. left_out: appended the others, and
// why. undeclared: whether a declaration would add one of them.
ArrayType* declared_columns(const ProtectedTable* table, const char* label, FeatureKinds taken,
                            StringInfo left_out, bool* undeclared);

// Adds them as columns of rows of the table's own type, in their order, the label last.
void add_columns(RowBuilder* rows, const ModelColumns* columns);

// Append SQL over the table's alias r: feature i as float8, categories as their number from 0,
// NULL when undeclared; all features as one float8[], NULL when one of them is; the class of a row,
// counted from 0, NULL when its label is NULL or undeclared.
// Missing::nan: in place of NULL, so that no row is missing for one of its values. Where the model
// keeps rules, it takes no other, and what is appended is what is measured of the row.
enum class Missing { null, nan };
void append_feature(StringInfo sql, const ModelColumns* columns, int i);
void append_features(StringInfo sql, const ModelColumns* columns, Missing missing = Missing::null);
void append_class(StringInfo sql, const ModelColumns* columns);
// A query of one row per record: the class, then the features.
const char* records_sql(const ProtectedTable* table, const ModelColumns* columns);

// {"label": ..., "features": [...]}: members of a JSON object without its braces, at most `bytes`;
// their number stands for features that are too many to name.
void append_columns_json(StringInfo json, const ModelColumns* columns, int bytes);

}  // namespace dpmix::pg
