// set_bounds, set_categories: what the owner states as public about a column.
#include "pg/border/arguments.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/stated_domain.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_set_bounds);
PG_FUNCTION_INFO_V1(dpmix_set_bounds_date);
PG_FUNCTION_INFO_V1(dpmix_set_bounds_timestamptz);
PG_FUNCTION_INFO_V1(dpmix_set_bounds_text);
PG_FUNCTION_INFO_V1(dpmix_set_categories);
}

namespace dpmix::pg {
namespace {

void set_bounds(const OwnedColumn* column, double lower, double upper, bool nan_is_middle) {
  record_bounds(column, lower, upper, nan_is_middle);
  comment_facades(column->table_id);
}

OwnedColumn open_time_column(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 4);
  OwnedColumn column = open_column(fcinfo);
  if (!is_in_time(&column)) {
    refuse_type(&column, "bounds in time",
                "date, timestamp and timestamptz; elsewhere give numbers");
  }
  return column;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_set_bounds(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  OwnedColumn column = open_column(fcinfo);
  require_bounds_type(&column);
  set_bounds(&column, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), PG_GETARG_BOOL(4));
  PG_RETURN_VOID();
}

Datum dpmix_set_bounds_date(PG_FUNCTION_ARGS) {
  OwnedColumn column = open_time_column(fcinfo);
  set_bounds(&column, in_units_of_date(&column, PG_GETARG_DATEADT(2)),
             in_units_of_date(&column, PG_GETARG_DATEADT(3)), false);
  PG_RETURN_VOID();
}

Datum dpmix_set_bounds_timestamptz(PG_FUNCTION_ARGS) {
  OwnedColumn column = open_time_column(fcinfo);
  set_bounds(&column, in_units_of(&column, PG_GETARG_TIMESTAMPTZ(2)),
             in_units_of(&column, PG_GETARG_TIMESTAMPTZ(3)), false);
  PG_RETURN_VOID();
}

// What PostgreSQL takes literals without a type for.
Datum dpmix_set_bounds_text(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  OwnedColumn column = open_column(fcinfo);
  require_bounds_type(&column);
  set_bounds(&column, read_bound(&column, text_to_cstring(PG_GETARG_TEXT_PP(2))),
             read_bound(&column, text_to_cstring(PG_GETARG_TEXT_PP(3))), PG_GETARG_BOOL(4));
  PG_RETURN_VOID();
}

Datum dpmix_set_categories(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 3);
  OwnedColumn column = open_column(fcinfo);
  int count;
  Datum* elements;
  bool* nulls;
  deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls,
                    &count);
  const char** texts = (const char**)palloc(sizeof(char*) * count);
  for (int i = 0; i < count; i++) texts[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
  record_categories(&column, texts, count);
  comment_facades(column.table_id);
  PG_RETURN_VOID();
}
