#include "pg/catalog/domains.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/made_rows.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement domain = {
    "SELECT lower, upper, categories, coalesce(quantum, 0), nan_is_middle, other, by_column, "
    "by_category, by_lower, by_upper "
    "FROM dpmix.column_domain WHERE table_id = $1 AND attnum = $2 AND column_name = $3"};

const BoundsBy* bounds_by(const ResultRow& row) {
  if (row.is_null(7)) return NULL;
  BoundsBy* by = (BoundsBy*)SPI_palloc(sizeof(BoundsBy));
  int count;
  *by = {row.text(7), 0, NULL, row.float8s(9, &count), row.float8s(10, &count)};
  by->category = row.texts(8, &by->categories);
  return by;
}

[[noreturn]] void refuse_undeclared(const ProtectedTable* table, AttrNumber column,
                                    const char* what, const char* call) {
  const char* name = get_attname(table->relation, column, false);
  refuse(ErrorCode::domain_missing, psprintf("%s of column \"%s\" are not declared", what, name),
         psprintf("dpmix never derives them from the rows of %s.", table->name),
         psprintf("The owner states them: SELECT dpmix.%s;",
                  psprintf(call, quote_literal_cstr(table->name), quote_literal_cstr(name))));
}

}  // namespace

ColumnDomain column_domain(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return table->made->domain(table->made, column);
  ColumnDomain found = {};
  const char* name = get_attname(table->relation, column, true);
  if (name == NULL) return found;
  as_catalog_owner([&] {
    if (read_rows(domain, {table->id, column, name_value(name)}) == 0) return;
    const ResultRow row;
    found = {!row.is_null(1), row.float8(1), row.float8(2), 0,     NULL,
             row.int8(4),     row.truth(5),  NULL,          false, false};
    found.category = row.texts(3, &found.categories);
    if (!row.is_null(6)) found.other = row.text(6);
    found.by = bounds_by(row);
  });
  return found;
}

ColumnDomain require_bounds(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return table->made->bounds(table->made, column);
  ColumnDomain found = column_domain(table, column);
  if (!found.has_bounds) {
    refuse_undeclared(table, column, "bounds", "set_bounds(%s, %s, lower, upper)");
  }
  return found;
}

ColumnDomain require_categories(const ProtectedTable* table, AttrNumber column) {
  if (table->made != NULL) return table->made->categories(table->made, column);
  ColumnDomain found = column_domain(table, column);
  if (found.categories == 0) {
    refuse_undeclared(table, column, "categories", "set_categories(%s, %s, '{...}')");
  }
  return found;
}

bool has_trusted_text(Oid type) {
  if (get_typtype(type) == TYPTYPE_ENUM) return true;
  return get_typtype(type) == TYPTYPE_BASE && type < FirstGenbkiObjectId &&
         !OidIsValid(get_element_type(type));
}

}  // namespace dpmix::pg
