// The columns in which two tables are compared: features that both have, numbers with public bounds
// or declared categories, and a label; and how to read them from either.
#pragma once

#include "core/comparison/measures.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct CompareColumns {
  ModelColumns* numbers;      // features that are numbers or booleans; NULL: none
  int categorical;            // how many features hold categories
  ModelColumns** categories;  // each of these columns, as a label
  ModelColumns* label;        // NULL: none
  int bins;                   // how many each number has in tables of pairs; 0: no such tables
};

// features: NULL for all columns that both have, with bounds, declared categories, or boolean, and
// a value in some synthetic row, or no synthetic row at all. PV003: bounds or categories missing.
// PV005: a column that is not there, or unfit.
CompareColumns* compare_columns(const ProtectedTable* table, Oid synthetic, ArrayType* features,
                                const char* label, int bins);
// The same columns as the other table has them. PV005: one is not there, or of another kind.
CompareColumns* columns_in(Oid synthetic, const CompareColumns* columns);

// The functions below take columns as core numbers them.
const char* column_name(const CompareColumns* columns, int column);
int category_count(const CompareColumns* columns, int column);  // column: one that holds categories
const char* category_name(const CompareColumns* columns, int column, int category);
int label_column(const CompareColumns* columns);
ComparedColumns public_columns(const CompareColumns* columns);  // inside guard()

}  // namespace dpmix::pg
