// set_bounds, set_categories: what the owner states as public about a column.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/stated_domain.hpp"
#include "pg/owner/view_column.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/rows/to_float8.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_set_bounds);
PG_FUNCTION_INFO_V1(dpmix_set_categories);
}

namespace dpmix::pg {
namespace {

void require_type(const OwnedColumn* column, bool fits, const char* bounds, const char* types) {
  if (!fits) refuse_type(column, bounds, types);
}

// A bound of the column, of the type that it was written in. Literals without one are texts.
double bound_of(const OwnedColumn* column, Oid type, Datum bound) {
  switch (type) {
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      require_type(column, is_in_time(column), "bounds in time",
                   "date, timestamp and timestamptz; elsewhere give numbers");
      if (type == DATEOID) return in_units_of_date(column, DatumGetDateADT(bound));
      if (type == TIMESTAMPOID) bound = DirectFunctionCall1(timestamp_timestamptz, bound);
      return in_units_of(column, DatumGetTimestampTz(bound));
    case INTERVALOID:
      require_type(column, column->type == INTERVALOID, "bounds that are intervals", "interval");
      return in_seconds(bound);
    case TEXTOID:
      require_bounds_type(column);
      return read_bound(column, TextDatumGetCString(bound));
    default:
      require_bounds_type(column);
      return value_float8(type, bound);
  }
}

// The type of the bounds, as one that bound_of() knows.
Oid bounds_type(FunctionCallInfo fcinfo) {
  const Oid given = get_fn_expr_argtype(fcinfo->flinfo, 2);
  const Oid type = getBaseType(given);
  if (TypeCategory(type) == TYPCATEGORY_STRING && type != NAMEOID) return TEXTOID;
  const bool known = type == INTERVALOID || (holds_numbers(type) && type != BOOLOID);
  if (known) return type;
  refuse_argument("these are no bounds", psprintf("They are of type %s.", format_type_be(given)),
                  "Give numbers, dates, timestamps, intervals, or texts of these.");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_set_bounds(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  OwnedColumn column = open_declared_column(fcinfo);
  const Oid type = bounds_type(fcinfo);
  record_bounds(&column, bound_of(&column, type, PG_GETARG_DATUM(2)),
                bound_of(&column, type, PG_GETARG_DATUM(3)), PG_GETARG_BOOL(4));
  comment_facades_with(&column);
  PG_RETURN_VOID();
}

Datum dpmix_set_categories(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 4);
  OwnedColumn column = open_declared_column(fcinfo);
  int count;
  Datum* elements;
  bool* nulls;
  deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls,
                    &count);
  const char** texts = (const char**)palloc(sizeof(char*) * count);
  for (int i = 0; i < count; i++) texts[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
  record_categories(&column, texts, count, PG_GETARG_BOOL(3));
  comment_facades_with(&column);
  PG_RETURN_VOID();
}
