// set_bounds, set_categories: what the owner states as public about a column.
#include <cmath>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/portable_text.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/owned.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "access/transam.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(dpmix_set_bounds);
PG_FUNCTION_INFO_V1(dpmix_set_bounds_date);
PG_FUNCTION_INFO_V1(dpmix_set_bounds_timestamptz);
PG_FUNCTION_INFO_V1(dpmix_set_categories);
}

namespace dpmix::pg {
namespace {

constexpr int kMostCategories = 10000;

Statement upsert_bounds = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, lower, upper) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (table_id, column_name) "
    "DO UPDATE SET attnum = excluded.attnum, lower = excluded.lower, upper = excluded.upper"};

Statement upsert_categories = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, categories) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (table_id, column_name) "
    "DO UPDATE SET attnum = excluded.attnum, categories = excluded.categories"};

struct OwnedColumn {
  int64 table_id;
  const char* table;
  const char* name;
  AttrNumber attnum;
  Oid type;  // below any domain
  int32 typmod;
  Oid collation;
};

// Of the first two arguments.
OwnedColumn open_column(FunctionCallInfo fcinfo) {
  const Oid relation = PG_GETARG_OID(0);
  OwnedColumn column = {};
  column.table_id = open_owned(relation, ShareUpdateExclusiveLock)->id;
  column.table = qualified_name(relation);
  column.name = name_argument(fcinfo, 1);
  column.attnum = get_attnum(relation, column.name);
  if (column.attnum <= 0) {
    refuse_argument(psprintf("%s has no column \"%s\"", column.table, column.name),
                    "Bounds and categories belong to columns of the table.",
                    "Name an existing column, as it is spelt in the table.");
  }
  Oid type;
  get_atttypetypmodcoll(relation, column.attnum, &type, &column.typmod, &column.collation);
  column.type = getBaseTypeAndTypmod(type, &column.typmod);
  return column;
}

[[noreturn]] void refuse_type(const OwnedColumn* column, const char* what, const char* valid) {
  refuse_argument(psprintf("column \"%s\" of %s cannot have %s", column->name, column->table, what),
                  psprintf("Its type is %s.", format_type_be(column->type)),
                  psprintf("Valid are %s.", valid));
}

void set_bounds(const OwnedColumn* column, double lower, double upper) {
  if (!(lower < upper) || !std::isfinite(upper - lower)) {
    refuse_argument(psprintf("bounds of column \"%s\" are not an interval", column->name),
                    psprintf("lower is %g, upper is %g.", lower, upper),
                    "State finite bounds with lower below upper.");
  }
  as_catalog_owner([&] {
    (void)write_rows(upsert_bounds,
                     {column->table_id, name_value(column->name), column->attnum, lower, upper});
  });
}

void refuse_infinite(const OwnedColumn* column) {
  refuse_argument(psprintf("bounds of column \"%s\" are not finite", column->name),
                  "'infinity' bounds nothing.", "State finite bounds.");
}

// A moment as the column's own number: days or seconds since 2000-01-01, without a time zone where
// the column has none.
double in_units_of(const OwnedColumn* column, TimestampTz at) {
  if (TIMESTAMP_NOT_FINITE(at)) refuse_infinite(column);
  if (column->type == TIMESTAMPTZOID) return at / 1e6;
  Timestamp local =
      DatumGetTimestamp(DirectFunctionCall1(timestamptz_timestamp, TimestampTzGetDatum(at)));
  return column->type == TIMESTAMPOID ? local / 1e6 : local / 86400e6;
}

double in_units_of_date(const OwnedColumn* column, DateADT day) {
  if (DATE_NOT_FINITE(day)) refuse_infinite(column);
  if (column->type == DATEOID) return day;
  return in_units_of(
      column, DatumGetTimestampTz(DirectFunctionCall1(date_timestamptz, DateADTGetDatum(day))));
}

OwnedColumn open_time_column(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 4);
  OwnedColumn column = open_column(fcinfo);
  if (column.type != DATEOID && column.type != TIMESTAMPOID && column.type != TIMESTAMPTZOID) {
    refuse_type(&column, "bounds in time",
                "date, timestamp and timestamptz; elsewhere give numbers");
  }
  return column;
}

// Input of a category is dpmix's own only for types whose functions are PostgreSQL's own.
bool has_trusted_text(Oid type) {
  if (get_typtype(type) == TYPTYPE_ENUM) return true;
  return get_typtype(type) == TYPTYPE_BASE && type < FirstGenbkiObjectId &&
         !OidIsValid(get_element_type(type));
}

struct Category {
  Datum value;
  const char* text;
};

struct Order {
  FmgrInfo* compare;
  Oid collation;
};

int compare_categories(const void* a, const void* b, void* arg) {
  const Order* order = (const Order*)arg;
  return DatumGetInt32(FunctionCall2Coll(order->compare, order->collation,
                                         ((const Category*)a)->value, ((const Category*)b)->value));
}

// The value that text stands for, and the text that stands for it under any setting.
Category read_category(const OwnedColumn* column, const char* text, FmgrInfo* input, Oid parameter,
                       FmgrInfo* output) {
  Category category = {};
  ErrorData* error = error_of(
      [&] { category.value = InputFunctionCall(input, (char*)text, parameter, column->typmod); });
  if (error != NULL) {
    refuse_argument(psprintf("category \"%s\" is no value of column \"%s\"", text, column->name),
                    error->message,
                    psprintf("Every category must be readable as %s.",
                             format_type_with_typemod(column->type, column->typmod)));
  }
  const int level = begin_portable_text();
  category.text = OutputFunctionCall(output, category.value);
  AtEOXact_GUC(false, level);
  return category;
}

void require_distinct(const OwnedColumn* column, const Category* categories, int count) {
  TypeCacheEntry* type = lookup_type_cache(column->type, TYPECACHE_CMP_PROC_FINFO);
  if (!OidIsValid(type->cmp_proc)) {
    refuse_type(column, "categories", "types with an order, as for GROUP BY");
  }
  Category* sorted = (Category*)palloc(sizeof(Category) * count);
  memcpy(sorted, categories, sizeof(Category) * count);
  Order order = {&type->cmp_proc_finfo, column->collation};
  qsort_arg(sorted, count, sizeof(Category), compare_categories, &order);
  for (int i = 1; i < count; i++) {
    if (compare_categories(&sorted[i - 1], &sorted[i], &order) != 0) continue;
    refuse_argument(
        psprintf("category \"%s\" of column \"%s\" is declared twice", sorted[i].text,
                 column->name),
        psprintf("Categories are compared as values of type %s.", format_type_be(column->type)),
        "State every value once.");
  }
}

Datum* category_texts(ArrayType* array, int* count) {
  Datum* elements;
  bool* nulls;
  deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, count);
  bool has_null = array_contains_nulls(array);
  if (*count == 0 || *count > kMostCategories || has_null) {
    refuse_argument("categories are not a list of values",
                    psprintf("%d entries were given%s; valid are 1 to %d, none NULL.", *count,
                             has_null ? ", some NULL" : "", kMostCategories),
                    "NULL and undeclared values join no group.");
  }
  return elements;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_set_bounds(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 4);
  OwnedColumn column = open_column(fcinfo);
  if (column.type == BOOLOID || !holds_numbers(column.type)) {
    refuse_type(&column, "bounds",
                "smallint, integer, bigint, real, double precision, numeric, date, timestamp, "
                "timestamptz and domains over them");
  }
  set_bounds(&column, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3));
  PG_RETURN_VOID();
}

Datum dpmix_set_bounds_date(PG_FUNCTION_ARGS) {
  OwnedColumn column = open_time_column(fcinfo);
  set_bounds(&column, in_units_of_date(&column, PG_GETARG_DATEADT(2)),
             in_units_of_date(&column, PG_GETARG_DATEADT(3)));
  PG_RETURN_VOID();
}

Datum dpmix_set_bounds_timestamptz(PG_FUNCTION_ARGS) {
  OwnedColumn column = open_time_column(fcinfo);
  set_bounds(&column, in_units_of(&column, PG_GETARG_TIMESTAMPTZ(2)),
             in_units_of(&column, PG_GETARG_TIMESTAMPTZ(3)));
  PG_RETURN_VOID();
}

Datum dpmix_set_categories(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 3);
  OwnedColumn column = open_column(fcinfo);
  if (!has_trusted_text(column.type)) {
    refuse_type(&column, "categories", "built-in scalar types, enums and domains over them");
  }
  int count;
  Datum* texts = category_texts(PG_GETARG_ARRAYTYPE_P(2), &count);

  Oid function, parameter;
  bool varlena;
  FmgrInfo input, output;
  getTypeInputInfo(column.type, &function, &parameter);
  fmgr_info(function, &input);
  getTypeOutputInfo(column.type, &function, &varlena);
  fmgr_info(function, &output);
  Category* categories = (Category*)palloc(sizeof(Category) * count);
  for (int i = 0; i < count; i++) {
    categories[i] =
        read_category(&column, TextDatumGetCString(texts[i]), &input, parameter, &output);
    texts[i] = CStringGetTextDatum(categories[i].text);
  }
  require_distinct(&column, categories, count);
  ArrayType* declared = construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT);
  as_catalog_owner([&] {
    (void)write_rows(upsert_categories, {column.table_id, name_value(column.name), column.attnum,
                                         Value(TEXTARRAYOID, PointerGetDatum(declared))});
  });
  PG_RETURN_VOID();
}
