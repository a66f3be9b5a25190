#include "pg/tree_model/columns.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/rows/rules.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

bool is_whole(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID ||
         type == BOOLOID;
}

bool is_not_null(const ProtectedTable* table, const char* column) {
  const AttrNumber number = asked_column(table, column);
  if (number == InvalidAttrNumber) elog(ERROR, "column \"%s\" is gone", column);
  return is_never_null(table, number);
}

// Whether a column of made rows has whole numbers alone, of whatever type.
bool counts_in_ones(const ProtectedTable* table, const char* column) {
  return table->made != NULL && made_column(table->made, asked_column(table, column)).whole;
}

}  // namespace

RowRules rules_of(const ModelColumns* columns) {
  if (columns->rules == NULL) return {};
  return RowRules::unpack({columns->rules->packed, (Size)columns->rules->size});
}

std::vector<ColumnValues> column_values(const ProtectedTable* table, const ModelColumns* columns) {
  std::vector<ColumnValues> of_row;
  for (int i = 0; i < columns->features; i++) {
    bool not_null = false, whole = is_whole(columns->type[i]);
    postgres([&] {
      not_null = is_not_null(table, columns->name[i]);
      whole = whole || counts_in_ones(table, columns->name[i]);
    });
    of_row.push_back({.lower = columns->lower[i],
                      .upper = columns->upper[i],
                      .whole = whole,
                      .categories = columns->categories[i],
                      .missing = !(not_null && whole && columns->categories[i] == 0),
                      .nullable = !not_null});
  }
  const RowRules rules = rules_of(columns);
  if (rules.empty()) return of_row;
  std::vector<ColumnValues> values;
  for (int m = 0; m < rules.measured(); m++) {
    const int i = rules.column_of(m);
    ColumnValues measured = of_row[(Size)i];
    measured.lower = rules.measured_lower(i);
    measured.upper = rules.measured_upper(i);
    for (const int other : rules.together(i)) {
      measured.missing = measured.missing || of_row[(Size)other].missing;
      measured.nullable = measured.nullable && of_row[(Size)other].nullable;
    }
    values.push_back(measured);
  }
  return values;
}

void allow_nulls(RowBuilder* rows, const ProtectedTable* table, const ModelColumns* columns) {
  for (int i = 0; i < columns->features; i++) {
    if (!is_not_null(table, columns->name[i])) may_be_null(rows, columns->name[i]);
  }
}

const char* counts_sql(const ProtectedTable* table, const ModelColumns* columns) {
  StringInfoData sql;
  initStringInfo(&sql);
  const bool sharded = has_shards(table->relation);
  appendStringInfoString(&sql, "SELECT ");
  begin_statistic(&sql, "marginal_counts", sharded);
  append_class(&sql, columns);
  appendStringInfoString(&sql, ", ");
  append_features(&sql, columns, Missing::nan);
  appendStringInfoString(&sql, ", $1");
  end_statistic(&sql, "marginal_counts", sharded);
  appendStringInfo(&sql, " FROM %s AS r", asked_from(table));
  return sql.data;
}

}  // namespace dpmix::pg
