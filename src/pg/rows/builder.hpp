// Rows of a caller's row type, made from numbers and categories: the output of functions such as
// f(NULL::patients, ...) RETURNS SETOF anyelement.
//
//   RowBuilder* rows = row_builder(fcinfo, 0);
//   number_column(rows, "age", 0, 120);                // once for each feature
//   category_column(rows, "diagnosis", count, texts);  // the same for categories, and label
//   start_rows(rows);                                       // all other columns will be NULL
//   ... charge ...
//   put_row(rows, numbers, categories);                // numbers and categories in that order
//
// Everything up to start_rows() refuses with PV005 what no row could satisfy; nothing before the
// first put_row() costs more than the columns. Rows go to a tuplestore that spills at work_mem; the
// function returns (Datum)0 when it is done.
// A number is clamped to its bounds and rounded to the nearest value of the column's type inside
// them: float8, float4, int2, int4, int8, numeric, date (days since 2000-01-01), timestamp and
// timestamptz (seconds since then), boolean (0 or 1), and domains over these. A numeric without a
// declared scale gets the fewest decimals that resolve a millionth of its bounds' range.
// Constraints of domains, which run their owners' code, are checked before, and on every value by
// the session that gets the rows; never in the process that makes them.
#pragma once

#include "pg/border/result_rows.hpp"

namespace dpmix::pg {

constexpr int64 kMostRowsMade = 1000000000;  // the most that one call makes

struct RowBuilder;

// PV005 unless the argument is declared as the row type of a table, view or composite type.
RowBuilder* row_builder(FunctionCallInfo fcinfo, int argument);
// The table or view whose row type it is; PV005 for a free-standing composite type.
Oid protected_relation(const RowBuilder* rows);

bool has_column(const RowBuilder* rows, const char* column);
// The type of a column below domains. PV005: rows do not have it.
Oid row_type_of(const RowBuilder* rows, const char* column, int32* typmod);

// type: of the column that the numbers were modelled on, below domains; the rows' own column may be
// of another of its kind (pg/rows/number_type.hpp). Without it numbers are taken for the column's
// own.
void number_column(RowBuilder* rows, const char* column, double lower, double upper,
                   Oid type = InvalidOid);
void category_column(RowBuilder* rows, const char* column, int count, char* const* categories);
// Says that some values of a column that has a source may be missing. PV005 where its domain
// forbids NULL.
void may_be_null(RowBuilder* rows, const char* column);
void start_rows(RowBuilder* rows);
ResultRows row_store(const RowBuilder* rows);

// NaN, and a category of -1: NULL. Categories count from 0.
void put_row(RowBuilder* rows, const double* numbers, const int* categories);

}  // namespace dpmix::pg
