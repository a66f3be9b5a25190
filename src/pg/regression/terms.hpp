// What a regression is of: the target and the terms as the caller wrote them, each a column or an
// expression over columns, made safe and coded by public numbers alone.
//
// A column is a number with declared bounds, a boolean, or one with declared categories; the first
// of these is the reference. An expression is one that a private query takes, with the bounds that
// those of its columns let it have, or a condition: 0 or 1. x ^ 2, x * x, x ^ 3 and x ^ 4 of a
// column whose lower powers are named before are coded as powers.
#pragma once

#include "core/regression/design.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct RegressionTerm {
  DesignTerm coding;
  const char* name;  // as it was written
  const char* sql;  // over r: a float8, NULL or NaN where it is missing; NULL: a power, of no input
  char** category;  // of a term with categories: their texts
};

struct RegressionTerms {
  int count;
  RegressionTerm* term;
  RegressionTerm target;
  // Those that terms read, each once, with the label that the caller named.
  ModelColumns* columns;
  // Whether neighbours differ in the declared label: nothing else of a row depends on it.
  bool target_alone;
};

// PV005: texts that are no expressions, terms without a column, too many of them, a target that is
// no number; under adjacency label, a regression that does not look at it. PV002: an expression
// that is not on the list; PV003: bounds or categories are missing.
RegressionTerms* regression_terms(const ProtectedTable* table, const char* target, ArrayType* terms,
                                  const char* label);

// Inside guard().
Design design_of(const RegressionTerms* terms);

// A scan: an aggregate (class, row, frame) of a table's coded rows, $1 their frame. coding:
// Design::pack().
const char* moments_sql(const char* aggregate, const ProtectedTable* table,
                        const RegressionTerms* terms, const double* coding, int count);
// The rows themselves, coded: NULL where something is missing.
const char* coded_rows_sql(const ProtectedTable* table, const RegressionTerms* terms,
                           const double* coding, int count);

}  // namespace dpmix::pg
