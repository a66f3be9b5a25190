// dpmix.query_json: the answers of dpmix.query as JSON, one object for each row, for callers that
// cannot state the columns.
#include "pg/guard.hpp"
#include "pg/query.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
PG_FUNCTION_INFO_V1(dpmix_query_json);
}

namespace dpmix::pg {
namespace {

struct JsonResult {
  const ReleasedQuery* released;
  FmgrInfo* to_jsonb;  // of each column's type
  Tuplestorestate* rows;
  TupleDesc columns;
};

// An object has each key once.
void check_names(const ReleasedQuery* released) {
  for (int i = 1; i < released->columns; i++) {
    for (int j = 0; j < i; j++) {
      const char* name = released->column[i].name;
      if (strcmp(name, released->column[j].name) != 0) continue;
      ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                      errmsg("two columns of the query have the name \"%s\"", name),
                      errdetail("They are columns %d and %d, and a JSON object has each key once.",
                                j + 1, i + 1),
                      errhint("Name them with AS.")));
    }
  }
}

// to_jsonb asks its call for the type of its argument.
FmgrInfo* conversions(const ReleasedQuery* released) {
  FmgrInfo* to_jsonb = (FmgrInfo*)palloc0(sizeof(FmgrInfo) * (released->columns + 1));
  for (int i = 0; i < released->columns; i++) {
    const ReleasedColumn* column = &released->column[i];
    List* argument = list_make1(makeNullConst(column->type, column->typmod, InvalidOid));
    fmgr_info(F_TO_JSONB, &to_jsonb[i]);
    fmgr_info_set_expr((Node*)makeFuncExpr(F_TO_JSONB, JSONBOID, argument, InvalidOid, InvalidOid,
                                           COERCE_EXPLICIT_CALL),
                       &to_jsonb[i]);
  }
  return to_jsonb;
}

void push_key(JsonbParseState** state, const char* name) {
  JsonbValue key;
  key.type = jbvString;
  key.val.string.val = (char*)name;
  key.val.string.len = strlen(name);
  pushJsonbValue(state, WJB_KEY, &key);
}

void push_value(JsonbParseState** state, FmgrInfo* to_jsonb, Datum datum, bool null) {
  JsonbValue value;
  value.type = jbvNull;
  if (!null) {
    Jsonb* made = DatumGetJsonbP(FunctionCall1(to_jsonb, datum));
    if (JB_ROOT_IS_SCALAR(made)) {
      (void)JsonbExtractScalar(&made->root, &value);
    } else {
      JsonbToJsonbValue(made, &value);
    }
  }
  pushJsonbValue(state, WJB_VALUE, &value);
}

void put_object(const Datum* values, const bool* nulls, void* arg) {
  const JsonResult* result = (const JsonResult*)arg;
  JsonbParseState* state = NULL;
  pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
  for (int i = 0; i < result->released->columns; i++) {
    push_key(&state, result->released->column[i].name);
    push_value(&state, &result->to_jsonb[i], values[i], nulls[i]);
  }
  Datum object = JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL)));
  bool null = false;
  tuplestore_putvalues(result->rows, result->columns, &object, &null);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_query_json(PG_FUNCTION_ARGS) {
  JsonResult result;
  result.rows = begin_result(fcinfo, &result.columns);
  const PricedQuery priced = prepare(fcinfo, false);
  result.released = priced.shape->released;
  check_names(result.released);
  result.to_jsonb = conversions(result.released);
  answer_query(&priced, {put_object, &result});
  return (Datum)0;
}
}
