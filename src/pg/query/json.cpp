// dpmix.query_json: the answers of dpmix.query as JSON, one object for each row, for callers that
// cannot state the columns.
#include "pg/border/guard.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/answer/value_errors.hpp"
#include "pg/query/ask.hpp"
#include "pg/query/query.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_query_json);
}

namespace dpmix::pg {
namespace {

struct JsonColumn {
  const char* name;
  bool enums, array;
  bool fallible;    // a value may be too long for JSON
  FmgrInfo output;  // the output function of enums
  FmgrInfo to_jsonb;
};

// An object has each key once.
void check_names(const ReleasedColumns* released) {
  for (int i = 1; i < released->columns; i++) {
    for (int j = 0; j < i; j++) {
      const char* name = released->column[i].name;
      if (strcmp(name, released->column[j].name) != 0) continue;
      refuse_argument(psprintf("two columns of the query have the name \"%s\"", name),
                      psprintf("They are columns %d and %d, and a JSON object has each key once.",
                               j + 1, i + 1),
                      "Name them with AS.");
    }
  }
}

// to_jsonb asks its call for the type of its argument.
void find_conversion(Oid type, FmgrInfo* to_jsonb) {
  List* argument = list_make1(makeNullConst(type, -1, InvalidOid));
  fmgr_info(F_TO_JSONB, to_jsonb);
  fmgr_info_set_expr((Node*)makeFuncExpr(F_TO_JSONB, JSONBOID, argument, InvalidOid, InvalidOid,
                                         COERCE_EXPLICIT_CALL),
                     to_jsonb);
}

// Enums become texts first: to_jsonb would call a cast to JSON that their owner may have made.
JsonColumn json_column(const ReleasedColumn* released) {
  JsonColumn column = {};
  const Oid element = get_element_type(released->type);
  column.name = released->name;
  column.array = OidIsValid(element);
  column.fallible = !get_typbyval(released->type);
  column.enums = get_typtype(column.array ? element : released->type) == TYPTYPE_ENUM;
  if (column.enums) {
    Oid output;
    bool varlena;
    getTypeOutputInfo(released->type, &output, &varlena);
    fmgr_info(output, &column.output);
  }
  const Oid texts = column.array ? TEXTARRAYOID : TEXTOID;
  find_conversion(column.enums ? texts : released->type, &column.to_jsonb);
  return column;
}

JsonColumn* json_columns(const ReleasedColumns* released) {
  JsonColumn* column = (JsonColumn*)palloc0(sizeof(JsonColumn) * (released->columns + 1));
  for (int i = 0; i < released->columns; i++) column[i] = json_column(&released->column[i]);
  return column;
}

// NULL: it has none.
Jsonb* jsonb_of(JsonColumn* column, Datum value) {
  Jsonb* made = NULL;
  const auto convert = [&] {
    Datum taken = value;
    if (column->enums) {
      char* text = OutputFunctionCall(&column->output, value);
      taken = column->array ? OidInputFunctionCall(F_ARRAY_IN, text, TEXTOID, -1)
                            : CStringGetTextDatum(text);
    }
    made = DatumGetJsonbP(FunctionCall1(&column->to_jsonb, taken));
  };
  if (column->fallible) return without_value_errors(convert) ? made : NULL;
  convert();
  return made;
}

// One row as a JSON object, its keys in the order of the columns. value: NULL for null.
Datum json_object(int columns, const JsonColumn* column, Jsonb* const* value) {
  StringInfoData out;
  initStringInfo(&out);
  for (int i = 0; i < columns; i++) {
    appendStringInfoString(&out, i == 0 ? "{" : ", ");
    escape_json(&out, column[i].name);
    appendStringInfoString(&out, ": ");
    if (value[i] == NULL) {
      appendStringInfoString(&out, "null");
    } else {
      (void)JsonbToCString(&out, &value[i]->root, (int)VARSIZE(value[i]));
    }
  }
  appendStringInfoString(&out, columns == 0 ? "{}" : "}");
  return PointerGetDatum(cstring_to_text_with_len(out.data, out.len));
}

// The row is paid for: where all of it is too long for one object, what may be long is null.
Datum row_object(int columns, JsonColumn* column, const Datum* values, const bool* nulls) {
  Jsonb** value = (Jsonb**)palloc0(sizeof(Jsonb*) * (columns + 1));
  bool fallible = false;
  for (int i = 0; i < columns; i++) {
    if (nulls[i]) continue;
    value[i] = jsonb_of(&column[i], values[i]);
    fallible = fallible || column[i].fallible;
  }
  Datum made = (Datum)0;
  if (fallible && !without_value_errors([&] { made = json_object(columns, column, value); })) {
    for (int i = 0; i < columns; i++) {
      if (column[i].fallible) value[i] = NULL;
    }
    fallible = false;
  }
  return fallible ? made : json_object(columns, column, value);
}

// A value of a JSON array as the text of a parameter; NULL for null.
const char* parameter_text(const JsonbValue* value) {
  switch (value->type) {
    case jbvNull:
      return NULL;
    case jbvString:
      return pnstrdup(value->val.string.val, value->val.string.len);
    case jbvNumeric:
      return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
    case jbvBool:
      return value->val.boolean ? "true" : "false";
    default:
      return JsonbToCString(NULL, value->val.binary.data, value->val.binary.len);
  }
}

ArrayType* parameters_of(Jsonb* json) {
  if (!JB_ROOT_IS_ARRAY(json) || JB_ROOT_IS_SCALAR(json)) {
    refuse_argument("json_params is not a JSON array",
                    "It has one value for each of $1, $2, ... of the query.",
                    "Write json_params => '[\"west\", 12]'.");
  }
  int count = (int)JB_ROOT_COUNT(json), bounds[] = {1};
  Datum* text = (Datum*)palloc(sizeof(Datum) * Max(count, 1));
  bool* null = (bool*)palloc0(sizeof(bool) * Max(count, 1));
  for (int i = 0; i < count; i++) {
    const char* given = parameter_text(getIthJsonbValueFromContainer(&json->root, (uint32)i));
    null[i] = given == NULL;
    if (given != NULL) text[i] = CStringGetTextDatum(given);
  }
  return construct_md_array(text, null, count > 0 ? 1 : 0, &count, bounds, TEXTOID, -1, false,
                            TYPALIGN_INT);
}

QueryCall json_call(FunctionCallInfo fcinfo) {
  QueryCall call = query_call(fcinfo, 9);
  if (PG_ARGISNULL(8)) return call;
  if (ARR_NDIM(call.params) > 0) {
    refuse_argument("params and json_params exclude each other", "Both were given.",
                    "Pass the values of $1, $2, ... in one of them.");
  }
  call.params = parameters_of(PG_GETARG_JSONB_P(8));
  return call;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_query_json(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_answer(fcinfo);
  if (!in_release_process()) return release_query(fcinfo, rows);
  const PricedQuery priced = priced_query(json_call(fcinfo));
  const ReleasedColumns* released = priced.shape->released;
  check_names(released);
  JsonColumn* column = json_columns(released);
  answer_query(&priced, [&](const Datum* values, const bool* nulls) {
    add_row(rows, {Value(JSONOID, row_object(released->columns, column, values, nulls))});
  });
  return (Datum)0;
}
}
