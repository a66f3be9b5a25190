#include "pg/tree_model/columns.hpp"

#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_states.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

bool is_whole(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID ||
         type == BOOLOID;
}

// Of the column or of its domain. A NULL may have been there before: it is counted all the same.
bool is_not_null(Oid relation, const char* column) {
  HeapTuple tuple = SearchSysCacheAttName(relation, column);
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "column \"%s\" is gone", column);
  const Form_pg_attribute attribute = (Form_pg_attribute)GETSTRUCT(tuple);
  bool not_null = attribute->attnotnull;
  Oid type = attribute->atttypid;
  ReleaseSysCache(tuple);
  while (!not_null && get_typtype(type) == TYPTYPE_DOMAIN) {
    HeapTuple domain = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
    if (!HeapTupleIsValid(domain)) elog(ERROR, "type %u is gone", type);
    not_null = ((Form_pg_type)GETSTRUCT(domain))->typnotnull;
    type = ((Form_pg_type)GETSTRUCT(domain))->typbasetype;
    ReleaseSysCache(domain);
  }
  return not_null;
}

}  // namespace

std::vector<ColumnValues> column_values(const ProtectedTable* table, const ModelColumns* columns) {
  std::vector<ColumnValues> values;
  for (int i = 0; i < columns->features; i++) {
    bool not_null = false;
    postgres([&] { not_null = is_not_null(table->relation, columns->name[i]); });
    const bool whole = is_whole(columns->type[i]);
    values.push_back({.lower = columns->lower[i],
                      .upper = columns->upper[i],
                      .whole = whole,
                      .categories = columns->categories[i],
                      .missing = !(not_null && whole && columns->categories[i] == 0),
                      .nullable = !not_null});
  }
  return values;
}

void allow_nulls(RowBuilder* rows, const ProtectedTable* table, const ModelColumns* columns) {
  for (int i = 0; i < columns->features; i++) {
    if (!is_not_null(table->relation, columns->name[i])) may_be_null(rows, columns->name[i]);
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
  appendStringInfo(&sql, " FROM %s AS r", table->name);
  return sql.data;
}

}  // namespace dpmix::pg
