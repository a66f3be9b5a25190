// Rules among the columns of a model: which of the table's they are, and what a row is measured by.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/catalog/column_rules.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

// Those all of whose columns have a place; -1: it is none of those that are asked about.
ColumnRules rules_in(const ProtectedTable* table, Callable<int(const char*)> place);
// NULL: there are none. PV005: types or bounds with which no row can keep one.
const ModelRules* rules_among(const ProtectedTable* table, const ModelColumns* columns);
// PV005: rules of the table that no row can keep, by types, and by bounds where they are declared.
void check_rules(const ProtectedTable* table);

// PV005 where values as rows write them would break a rule. place: of a column, by name, in lower
// and upper.
void check_ruled_rows(const RowBuilder* rows, const ModelColumns* columns);
void check_ruled_rows(const RowBuilder* rows, const ColumnRules& rules, const double* lower,
                      const double* upper, Callable<int(const char*)> place);

// ["discharged >= admitted", ...], or their number where that is longer than so many bytes.
void append_rules_json(StringInfo json, const ModelRules* rules, int bytes);
const char* rules_text(const ModelRules* rules);  // one after the other, with commas

}  // namespace dpmix::pg
