#include "pg/owner/view_column.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/column_origin.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/grant_view.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostViewCategories = 1000;  // each row is compared with one after the other

Statement upsert = {
    "INSERT INTO dpmix.view_column (schema_name, view_name, column_name, column_type, lower, "
    "  upper, categories, other) "
    "SELECT n.nspname, c.relname, $2, $3, $4, $5, $6, $7 FROM pg_class c JOIN pg_namespace n "
    "  ON n.oid = c.relnamespace WHERE c.oid = $1 "
    "ON CONFLICT (schema_name, view_name, column_name) DO UPDATE SET column_type = "
    "  excluded.column_type, lower = excluded.lower, upper = excluded.upper, categories = "
    "  excluded.categories, other = excluded.other"};

Statement declaration = {
    "SELECT dpmix_internal.bound_text($3, v.lower), dpmix_internal.bound_text($3, v.upper), "
    "  v.categories "
    "FROM dpmix.view_column v JOIN pg_class c ON c.oid = $1 AND c.relname = v.view_name "
    "JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = v.schema_name "
    "WHERE v.column_name = $2 AND v.column_type = $4"};

bool has_bounds(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return true;
    default:
      return false;
  }
}

bool has_categories(Oid type) {
  return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == UUIDOID ||
         get_typtype(type) == TYPTYPE_ENUM;
}

void record(const OwnedColumn* column, const Value& lower, const Value& upper,
            const Value& categories, const char* other) {
  (void)write_rows(upsert,
                   {column->view, name_value(column->name), format_type_be_qualified(column->type),
                    lower, upper, categories, other});
}

}  // namespace

bool open_declared_view(Oid relation) {
  const List* tables = tables_below(relation);
  if (tables == NIL) return false;
  require_owned_view(relation, tables);
  return true;
}

const char* table_of_view_column(Oid view, AttrNumber column) {
  const ColumnOrigin origin = only_origin_of_column(view, column);
  if (!OidIsValid(origin.relation)) return NULL;
  return psprintf("column \"%s\" of %s", get_attname(origin.relation, origin.column, false),
                  qualified_name(origin.relation));
}

OwnedColumn owned_view_column(Oid view, const char* name) {
  OwnedColumn column = owned_column(0, view, name);
  column.view = view;
  return column;
}

OwnedColumn open_declared_column(FunctionCallInfo fcinfo) {
  const Oid relation = PG_GETARG_OID(0);
  if (!open_declared_view(relation)) return open_column(fcinfo);
  const OwnedColumn column = owned_view_column(relation, name_argument(fcinfo, 1));
  require_computed(&column);
  return column;
}

void comment_facades_with(const OwnedColumn* column) {
  if (column->table_id == 0) {
    comment_facades_of_view(column->view);
  } else {
    comment_facades(column->table_id);
  }
}

void require_computed(const OwnedColumn* column) {
  const char* table = table_of_view_column(column->view, column->attnum);
  if (table == NULL) return;
  refuse_argument(psprintf("column \"%s\" of view %s is %s", column->name, column->table, table),
                  "What is declared of the table's column holds in the view, too.",
                  "Declare it there. Of a view declare what it computes.");
}

void record_view_bounds(const OwnedColumn* column, double lower, double upper) {
  if (!has_bounds(get_atttype(column->view, column->attnum))) {
    refuse_type(column, "bounds of a view's column",
                "smallint, integer, bigint, real, double precision, numeric, date, timestamp and "
                "timestamptz; let the view compute one, such as extract(epoch FROM x) or "
                "length(x)");
  }
  as_catalog_owner([&] { record(column, lower, upper, text_array(NULL, 0), NULL); });
}

void record_view_categories(const OwnedColumn* column, const char* const* texts, int count,
                            const char* other) {
  if (!has_categories(get_atttype(column->view, column->attnum))) {
    refuse_type(column, "categories of a view's column",
                "text, varchar, char, uuid and enums; let the view compute such a value");
  }
  if (count > kMostViewCategories) {
    refuse_argument("categories of a view's column are too many",
                    psprintf("%d are given; the most are %d.", count, kMostViewCategories),
                    "Declare other => true, and the most common ones.");
  }
  as_catalog_owner([&] {
    const Value none = value_if(false, 0.0);
    record(column, none, none, text_array(texts, count), other);
  });
}

ViewDeclaration declaration_of(const OwnedColumn* column) {
  ViewDeclaration found = {};
  as_catalog_owner([&] {
    if (read_rows(declaration, {column->view, name_value(column->name), column->type,
                                format_type_be_qualified(column->type)}) == 0) {
      return;
    }
    const ResultRow row;
    found.declared = true;
    found.lower = row.text(1);
    found.upper = row.text(2);
    found.category = row.texts(3, &found.categories);
  });
  return found;
}

}  // namespace dpmix::pg
