#include "pg/owner/stated_domain.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/border/portable_text.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

Statement upsert_bounds = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, lower, upper, nan_is_middle) "
    "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (table_id, column_name) DO UPDATE SET attnum = "
    "excluded.attnum, lower = excluded.lower, upper = excluded.upper, nan_is_middle = "
    "excluded.nan_is_middle"};

Statement upsert_categories = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, categories) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (table_id, column_name) "
    "DO UPDATE SET attnum = excluded.attnum, categories = excluded.categories"};

void refuse_infinite(const OwnedColumn* column) {
  refuse_argument(psprintf("bounds of column \"%s\" are not finite", column->name),
                  "'infinity' bounds nothing.", "State finite bounds.");
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

void require_list(const char* const* texts, int count) {
  bool has_null = false;
  for (int i = 0; i < count; i++) has_null = has_null || texts[i] == NULL;
  if (count > 0 && count <= kMostCategories && !has_null) return;
  refuse_argument("categories are not a list of values",
                  psprintf("%d entries were given%s; valid are 1 to %d, none NULL.", count,
                           has_null ? ", some NULL" : "", kMostCategories),
                  "NULL and undeclared values join no group.");
}

}  // namespace

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

bool can_have_bounds(const OwnedColumn* column) {
  return column->type != BOOLOID && holds_numbers(column->type);
}

void require_bounds_type(const OwnedColumn* column) {
  if (can_have_bounds(column)) return;
  refuse_type(column, "bounds",
              "smallint, integer, bigint, real, double precision, numeric, date, timestamp, "
              "timestamptz and domains over them");
}

double read_bound(const OwnedColumn* column, char* text) {
  const bool time = is_in_time(column);
  Datum value;
  ErrorData* error = error_of([&] {
    value = time ? DirectFunctionCall3(timestamptz_in, CStringGetDatum(text),
                                       ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))
                 : DirectFunctionCall1(float8in, CStringGetDatum(text));
  });
  if (error != NULL) {
    refuse_argument(
        psprintf("'%s' is no bound of column \"%s\"", text, column->name), error->message,
        time ? "Write a date or a time stamp, such as '2020-01-01'." : "Write a number.");
  }
  return time ? in_units_of(column, DatumGetTimestampTz(value)) : DatumGetFloat8(value);
}

void record_bounds(const OwnedColumn* column, double lower, double upper, bool nan_is_middle) {
  if (!(lower < upper) || !std::isfinite(upper - lower)) {
    refuse_argument(psprintf("bounds of column \"%s\" are not an interval", column->name),
                    psprintf("lower is %g, upper is %g.", lower, upper),
                    "State finite bounds with lower below upper.");
  }
  if (nan_is_middle && !has_nan(column->type)) {
    refuse_type(column, "nan_is_middle", "real, double precision, numeric and domains over them");
  }
  as_catalog_owner([&] {
    (void)write_rows(upsert_bounds, {column->table_id, name_value(column->name), column->attnum,
                                     lower, upper, nan_is_middle});
  });
}

void record_categories(const OwnedColumn* column, const char* const* texts, int count) {
  if (!has_trusted_text(column->type)) {
    refuse_type(column, "categories", "built-in scalar types, enums and domains over them");
  }
  require_list(texts, count);
  Oid function, parameter;
  bool varlena;
  FmgrInfo input, output;
  getTypeInputInfo(column->type, &function, &parameter);
  fmgr_info(function, &input);
  getTypeOutputInfo(column->type, &function, &varlena);
  fmgr_info(function, &output);
  Category* categories = (Category*)palloc(sizeof(Category) * count);
  const char** portable = (const char**)palloc(sizeof(char*) * count);
  for (int i = 0; i < count; i++) {
    categories[i] = read_category(column, texts[i], &input, parameter, &output);
    portable[i] = categories[i].text;
  }
  require_distinct(column, categories, count);
  as_catalog_owner([&] {
    const Value list = text_array(portable, count);
    number_categories(column->table_id, column->name, list);
    (void)write_rows(upsert_categories,
                     {column->table_id, name_value(column->name), column->attnum, list});
  });
}

}  // namespace dpmix::pg
