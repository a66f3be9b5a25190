#include "pg/catalog/record.hpp"

#include "pg/border/result_rows.hpp"
#include "pg/border/unrecorded.hpp"
#include "pg/catalog/as_owner.hpp"

extern "C" {
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_viewer);
PG_FUNCTION_INFO_V1(dpmix_viewer_is_superuser);
PG_FUNCTION_INFO_V1(dpmix_record);
PG_FUNCTION_INFO_V1(dpmix_charges);
}

namespace dpmix::pg {
namespace {

// Each view is written so that an index leads to the rows that concern the viewer. Whatever the
// session's settings, it is used.
constexpr Setting kByIndex[] = {
    {"enable_seqscan", "off"},
    {"enable_indexscan", "on"},
    {"enable_indexonlyscan", "on"},
    {"enable_bitmapscan", "on"},
    {"enable_nestloop", "on"},
    {"enable_hashjoin", "on"},
    {"enable_hashagg", "on"},
    {"enable_sort", "on"},
    {"enable_memoize", "on"},
    {"from_collapse_limit", "8"},
    {"join_collapse_limit", "8"},
    {"geqo", "off"},
    {"jit", "off"},
    {"max_parallel_workers_per_gather", "0"},  // workers count for themselves
};

Oid viewer = InvalidOid;  // InvalidOid: nothing is being read

ParamListInfo parameters_of(std::initializer_list<Value> arguments) {
  ParamListInfo parameters = makeParamList((int)arguments.size());
  const uint16 constant = PARAM_FLAG_CONST;
  int i = 0;
  for (const Value& argument : arguments) {
    parameters->params[i++] = {argument.datum, argument.null, constant, argument.type};
  }
  return parameters;
}

void select_into(const ResultRows& rows, MemoryContext context, const char* sql,
                 ParamListInfo parameters) {
  for (const Setting& setting : kByIndex) set_for_now(setting);
  set_for_now_if_known({"restrict_nonsystem_relation_kind", ""});  // pg_dump's, for other views
  DestReceiver* receiver = CreateDestReceiver(DestTuplestore);
  // Unpacked here: who reads the result would read a table of dpmix for what is long.
  SetTuplestoreDestReceiverParams(receiver, rows.store, context, true, rows.type,
                                  "the record has other columns");
  SPIExecuteOptions options;
  memset(&options, 0, sizeof options);
  options.params = parameters;
  options.read_only = true;
  options.dest = receiver;
  const int result = SPI_execute_extended(sql, &options);
  if (result != SPI_OK_SELECT) elog(ERROR, "could not run \"%s\": %d", sql, result);
}

}  // namespace

Oid record_viewer() {
  return OidIsValid(viewer) ? viewer : GetUserId();
}

Datum record_rows(FunctionCallInfo fcinfo, const char* sql,
                  std::initializer_list<Value> arguments) {
  const ResultRows rows = begin_rows(fcinfo);
  MemoryContext context = ((ReturnSetInfo*)fcinfo->resultinfo)->econtext->ecxt_per_query_memory;
  ParamListInfo parameters = parameters_of(arguments);
  const Oid before = viewer;
  viewer = GetUserId();
  PG_TRY();
  {
    run_unrecorded([&] {
      as_catalog_owner([&] { select_into(rows, context, sql, parameters); });
    });
  }
  PG_FINALLY();
  { viewer = before; }
  PG_END_TRY();
  return (Datum)0;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_viewer(PG_FUNCTION_ARGS) {
  PG_RETURN_OID(record_viewer());
}

Datum dpmix_viewer_is_superuser(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(superuser_arg(record_viewer()));
}

// A function whose result is the row type of a view returns what is in the view.
Datum dpmix_record(PG_FUNCTION_ARGS) {
  const Oid view = get_typ_typrelid(get_func_rettype(fcinfo->flinfo->fn_oid));
  return record_rows(fcinfo, psprintf("SELECT * FROM dpmix_internal.%s",
                                      quote_identifier(get_rel_name(view))));
}

// Constants, so that the planner leaves out what is not asked for.
Datum dpmix_charges(PG_FUNCTION_ARGS) {
  const auto argument = [&](int n, Oid type) {
    return Value(type, PG_GETARG_DATUM(n), PG_ARGISNULL(n));
  };
  return record_rows(fcinfo,
                     "SELECT * FROM dpmix_internal.seen_charge c "
                     "WHERE ($1 IS NULL OR c.relation_now = $1) AND ($2 IS NULL OR c.at >= $2) "
                     "AND ($3 IS NULL OR c.at < $3) AND ($4 IS NULL OR c.id = $4)",
                     {argument(0, REGCLASSOID), argument(1, TIMESTAMPTZOID),
                      argument(2, TIMESTAMPTZOID), argument(3, INT8OID)});
}
