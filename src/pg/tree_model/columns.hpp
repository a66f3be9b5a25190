// The columns of a tree model as the table declares them, and the text that reads a row of them.
#pragma once

#include "core/input/row_rules.hpp"
#include "core/tree_model/column_cut.hpp"
#include "pg/rows/builder.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

// Rules among the features; empty: there are none. Call inside guard(), as the next one.
RowRules rules_of(const ModelColumns* columns);
// What is measured of each feature may be, and whether a synthetic row may have NULL there.
std::vector<ColumnValues> column_values(const ProtectedTable* table, const ModelColumns* columns);

// Says where rows that get their columns from such a model may have NULL.
void allow_nulls(RowBuilder* rows, const ProtectedTable* table, const ModelColumns* columns);

// SELECT of one statistic, dpmix_internal.marginal_counts, whose tables are $1.
const char* counts_sql(const ProtectedTable* table, const ModelColumns* columns);

}  // namespace dpmix::pg
