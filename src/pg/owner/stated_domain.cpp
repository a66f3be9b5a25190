#include "pg/owner/stated_domain.hpp"

#include <algorithm>
#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/border/portable_text.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/bounds_by.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/view_column.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/other_value.hpp"

extern "C" {
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

Statement upsert_bounds = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, lower, upper, nan_is_middle, "
    "by_column, by_category, by_lower, by_upper) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (table_id, column_name) DO "
    "UPDATE SET attnum = excluded.attnum, lower = excluded.lower, upper = excluded.upper, "
    "nan_is_middle = excluded.nan_is_middle, by_column = excluded.by_column, by_category = "
    "excluded.by_category, by_lower = excluded.by_lower, by_upper = excluded.by_upper"};

Statement upsert_categories = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, categories, other) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (table_id, column_name) DO UPDATE "
    "SET attnum = excluded.attnum, categories = excluded.categories, other = excluded.other"};

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

Category read_text(const OwnedColumn* column, const char* text) {
  Oid function, parameter;
  bool varlena;
  FmgrInfo input, output;
  getTypeInputInfo(column->type, &function, &parameter);
  fmgr_info(function, &input);
  getTypeOutputInfo(column->type, &function, &varlena);
  fmgr_info(function, &output);
  return read_category(column, text, &input, parameter, &output);
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

// What the group of all other values shows as: no category, and a value of the column.
const char* shown_as_other(const OwnedColumn* column, const char* const* texts, int count) {
  if (!is_text(column)) {
    refuse_type(column, "a group of other values", "text, varchar and char");
  }
  const char* shown = other_than(texts, count);
  const int32 most = type_maximum_size(column->type, column->typmod);
  if (most < 0 || column->typmod - (int32)VARHDRSZ >= (int32)strlen(shown)) return shown;
  refuse_argument(psprintf("the group of other values of column \"%s\" has no name", column->name),
                  psprintf("It is shown as '%s', and the column is of type %s.", shown,
                           format_type_with_typemod(column->type, column->typmod)),
                  "Make the column wider, or declare all of its values.");
}

void require_list(const char* const* texts, int count) {
  bool has_null = false;
  for (int i = 0; i < count; i++) has_null = has_null || texts[i] == NULL;
  if (count > 0 && count <= kMostCategories && !has_null) return;
  refuse_argument("categories are not a list of values",
                  psprintf("%d entries were given%s; valid are 1 to %d, none NULL.", count,
                           has_null ? ", some NULL" : "", kMostCategories),
                  "NULL is a group of its own; other => true makes one of all other values.");
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
  return column->type == INTERVALOID || (column->type != BOOLOID && holds_numbers(column->type));
}

void require_bounds_type(const OwnedColumn* column) {
  if (can_have_bounds(column) || is_text(column)) return;
  refuse_type(column, "bounds",
              "smallint, integer, bigint, real, double precision, numeric, date, timestamp, "
              "timestamptz, interval, text, varchar, char (of their length) and domains over them");
}

double in_seconds(Datum interval) {
  return DatumGetFloat8(DirectFunctionCall2(interval_part, CStringGetTextDatum("epoch"), interval));
}

double read_bound(const OwnedColumn* column, char* text) {
  const bool time = is_in_time(column), interval = column->type == INTERVALOID;
  Datum value;
  ErrorData* error = error_of([&] {
    if (time || interval) {
      value = DirectFunctionCall3(time ? timestamptz_in : interval_in, CStringGetDatum(text),
                                  ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
    } else {
      value = DirectFunctionCall1(float8in, CStringGetDatum(text));
    }
  });
  if (error != NULL) {
    refuse_argument(psprintf("'%s' is no bound of column \"%s\"", text, column->name),
                    error->message,
                    time              ? "Write a date or a time stamp, such as '2020-01-01'."
                    : interval        ? "Write an interval, such as '8 hours'."
                    : is_text(column) ? "Write how many characters."
                                      : "Write a number.");
  }
  if (interval) return in_seconds(value);
  return time ? in_units_of(column, DatumGetTimestampTz(value)) : DatumGetFloat8(value);
}

namespace {

void require_interval(const OwnedColumn* column, double lower, double upper) {
  if (!(lower < upper) || !std::isfinite(upper - lower)) {
    refuse_argument(psprintf("bounds of column \"%s\" are not an interval", column->name),
                    psprintf("lower is %g, upper is %g.", lower, upper),
                    "State finite bounds with lower below upper.");
  }
  if (is_text(column) && (lower < 0 || lower != std::floor(lower) || upper != std::floor(upper))) {
    refuse_argument(psprintf("bounds of column \"%s\" are not numbers of characters", column->name),
                    psprintf("lower is %g, upper is %g; bounds of a text column are those of its "
                             "length.",
                             lower, upper),
                    "State whole numbers from 0 on.");
  }
}

}  // namespace

void record_bounds(const OwnedColumn* column, double lower, double upper, bool nan_is_middle) {
  require_interval(column, lower, upper);
  if (nan_is_middle && !has_nan(column->type)) {
    refuse_type(column, "nan_is_middle", "real, double precision, numeric and domains over them");
  }
  if (column->table_id == 0) {
    if (nan_is_middle) {
      refuse_argument("nan_is_middle is of a table's column",
                      psprintf("Column \"%s\" is of view %s.", column->name, column->table),
                      "Let the view compute a number: CASE WHEN x <> 'NaN' THEN x ELSE 0 END.");
    }
    record_view_bounds(column, lower, upper);
    return;
  }
  as_catalog_owner([&] {
    const char* none = NULL;
    const Value no_numbers = value_if(false, float8_array(&lower, 1));
    (void)write_rows(upsert_bounds, {column->table_id, name_value(column->name), column->attnum,
                                     lower, upper, nan_is_middle, name_value(none),
                                     text_array(NULL, 0), no_numbers, no_numbers});
  });
}

namespace {

// The texts of values of the column that decides, each once.
char** deciding_categories(const OwnedColumn* by, const StatedBoundsBy& stated) {
  if (!can_decide_bounds(by->type, by->collation)) {
    refuse_type(by, "bounds by its categories",
                "text, varchar and char with a deterministic collation, enums, smallint, integer "
                "and bigint");
  }
  char** made = (char**)palloc(sizeof(char*) * stated.categories);
  for (int i = 0; i < stated.categories; i++) {
    const Category category = read_text(by, stated.category[i]);
    made[i] = deciding_text(by->type, category.value);
    const BoundsBy before = {by->name, i, made, NULL, NULL};
    if (category_of_bounds(&before, made[i]) < 0) continue;
    refuse_argument(
        psprintf("category \"%s\" of column \"%s\" has bounds twice", made[i], by->name),
        psprintf("Categories are compared as values of type %s.", format_type_be(by->type)),
        "State the bounds of every value once.");
  }
  return made;
}

}  // namespace

void record_bounds_by(const OwnedColumn* column, const OwnedColumn* by,
                      const StatedBoundsBy& stated) {
  if (column->table_id == 0) {
    refuse_argument(psprintf("column \"%s\" of view %s cannot have bounds by category",
                             column->name, column->table),
                    "They belong to columns of tables.",
                    "Declare them of the table's column: the view's FILTER (WHERE test = 'a') has "
                    "those of its category. Or give the view a column for each.");
  }
  if (by->attnum == column->attnum || !can_have_bounds(column) || column->type == INTERVALOID ||
      is_in_time(column)) {
    refuse_argument(psprintf("column \"%s\" cannot have bounds by category", column->name),
                    psprintf("It is of type %s; they go by column \"%s\".",
                             format_type_be(column->type), by->name),
                    "State them of a column of numbers, by another column of the same table.");
  }
  char** category = deciding_categories(by, stated);
  double *lower = (double*)palloc(sizeof(double) * stated.categories),
         *upper = (double*)palloc(sizeof(double) * stated.categories);
  for (int i = 0; i < stated.categories; i++) {
    lower[i] = read_bound(column, stated.lower[i]);
    upper[i] = read_bound(column, stated.upper[i]);
    require_interval(column, lower[i], upper[i]);
  }
  const double least = *std::min_element(lower, lower + stated.categories),
               most = *std::max_element(upper, upper + stated.categories);
  require_interval(column, least, most);
  as_catalog_owner([&] {
    (void)write_rows(
        upsert_bounds,
        {column->table_id, name_value(column->name), column->attnum, least, most, false,
         name_value(by->name), text_array(category, stated.categories),
         float8_array(lower, stated.categories), float8_array(upper, stated.categories)});
  });
}

void record_categories(const OwnedColumn* column, const char* const* texts, int count, bool other) {
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
  const char* shown = other ? shown_as_other(column, portable, count) : NULL;
  if (column->table_id == 0) {
    record_view_categories(column, portable, count, shown);
    return;
  }
  as_catalog_owner([&] {
    const Value list = text_array(portable, count);
    number_categories(column->table_id, column->name, list);
    (void)write_rows(upsert_categories,
                     {column->table_id, name_value(column->name), column->attnum, list, shown});
  });
}

}  // namespace dpmix::pg
