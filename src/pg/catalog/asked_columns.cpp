#include "pg/catalog/asked_columns.hpp"

#include "pg/catalog/made_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {

int asked_columns(const ProtectedTable* table) {
  if (table->made != NULL) return table->made->columns;
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table->relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "table %u is gone", table->relation);
  const int columns = ((Form_pg_class)GETSTRUCT(tuple))->relnatts;
  ReleaseSysCache(tuple);
  return columns;
}

AttrNumber asked_column(const ProtectedTable* table, const char* name) {
  if (table->made == NULL) {
    const AttrNumber found = get_attnum(table->relation, name);
    return found > 0 ? found : InvalidAttrNumber;
  }
  for (int i = 0; i < table->made->columns; i++) {
    if (strcmp(table->made->column[i].name, name) == 0) return (AttrNumber)(i + 1);
  }
  return InvalidAttrNumber;
}

const char* asked_name(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return made_column(table->made, column).name;
  HeapTuple tuple = SearchSysCacheAttNum(table->relation, column);  // none that was dropped
  if (!HeapTupleIsValid(tuple)) return NULL;
  const char* name = pstrdup(NameStr(((Form_pg_attribute)GETSTRUCT(tuple))->attname));
  ReleaseSysCache(tuple);
  return name;
}

Oid asked_type(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return made_column(table->made, column).type;
  return get_atttype(table->relation, column);
}

bool is_asked_unit(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return made_column(table->made, column).is_unit;
  return column == table->unit;
}

bool is_never_null(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return made_column(table->made, column).never_null;
  return is_never_null(table->relation, column);
}

bool is_never_null(Oid relation, AttrNumber column) {
  HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "column %d is gone", column);
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

namespace {

const char* collation_text(Oid collation) {
  HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "collation %u is gone", collation);
  const Form_pg_collation form = (Form_pg_collation)GETSTRUCT(tuple);
  const char* text =
      quote_qualified_identifier(get_namespace_name(form->collnamespace), NameStr(form->collname));
  ReleaseSysCache(tuple);
  return text;
}

const char* from_of(const MadeRows* rows, bool of_text) {
  StringInfoData sql;
  initStringInfo(&sql);
  for (int i = 0; i < rows->columns; i++) {
    const MadeColumn& column = rows->column[i];
    const Oid type = of_text ? column.asked : column.type;
    appendStringInfo(&sql, "%sNULL::%s", i == 0 ? "(SELECT " : ", ",
                     format_type_extended(type, of_text ? column.asked_typmod : column.typmod,
                                          FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
    if (OidIsValid(column.collation) && column.collation != get_typcollation(type)) {
      appendStringInfo(&sql, " COLLATE %s", collation_text(column.collation));
    }
    appendStringInfo(&sql, " AS %s", quote_identifier(column.name));
  }
  if (!of_text) {
    appendStringInfo(&sql, ", NULL::pg_catalog.int4 AS %s", quote_identifier(kMadeUnit));
  }
  appendStringInfoChar(&sql, ')');
  return sql.data;
}

}  // namespace

const char* asked_from(const ProtectedTable* table) {
  return table->made != NULL ? from_of(table->made, false) : table->name;
}

const char* asked_from_of_text(const ProtectedTable* table) {
  return table->made != NULL ? psprintf("%s AS rows", from_of(table->made, true)) : table->name;
}

}  // namespace dpmix::pg
