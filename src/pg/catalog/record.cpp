#include "pg/catalog/record.hpp"

#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/unrecorded.hpp"
#include "pg/catalog/as_owner.hpp"

extern "C" {
#include "executor/tstoreReceiver.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_viewer);
PG_FUNCTION_INFO_V1(dpmix_viewer_is_superuser);
PG_FUNCTION_INFO_V1(dpmix_audited_tables);
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
    {"restrict_nonsystem_relation_kind", ""},  // pg_dump's, for other views
};

Statement audited = {
    "SELECT ARRAY(SELECT r.id FROM dpmix_internal.seen_record r "
    "             WHERE r.audited AND ($1 IS NULL OR EXISTS ("
    "               SELECT FROM dpmix_internal.known_table k "
    "               WHERE k.id = r.id AND k.relation = $1)))"};

Oid viewer = InvalidOid;  // InvalidOid: nothing is being read

// Constants: the planner leaves out what is not asked for.
ParamListInfo parameters_of(std::initializer_list<Value> arguments) {
  if (arguments.size() == 0) return NULL;
  ParamListInfo parameters = makeParamList((int)arguments.size());
  const uint16 constant = PARAM_FLAG_CONST;
  int i = 0;
  for (const Value& argument : arguments) {
    parameters->params[i++] = {argument.datum, argument.null, constant, argument.type};
  }
  return parameters;
}

struct KeptPlan {
  char* sql;
  SPIPlanPtr plan;
  KeptPlan* next;
};
KeptPlan* kept = NULL;

// The plan of a statement without parameters, made once per process: planning takes longer than
// reading.
SPIPlanPtr kept_plan(const char* sql) {
  for (const KeptPlan* one = kept; one != NULL; one = one->next) {
    if (strcmp(one->sql, sql) == 0) return one->plan;
  }
  SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);
  if (plan == NULL) elog(ERROR, "could not prepare \"%s\": %d", sql, SPI_result);
  KeptPlan* one = (KeptPlan*)MemoryContextAlloc(TopMemoryContext, sizeof(KeptPlan));
  *one = {MemoryContextStrdup(TopMemoryContext, sql), plan, kept};
  SPI_keepplan(plan);
  kept = one;
  return plan;
}

void select_into(const ResultRows& rows, MemoryContext context, const char* sql,
                 ParamListInfo parameters) {
  DestReceiver* receiver = CreateDestReceiver(DestTuplestore);
  // Unpacked here: who reads the result would read a table of dpmix for what is long.
  SetTuplestoreDestReceiverParams(receiver, rows.store, context, true, rows.type,
                                  "the record has other columns");
  SPIExecuteOptions options;
  memset(&options, 0, sizeof options);
  options.params = parameters;
  options.read_only = true;
  options.dest = receiver;
  int result = 0;
  without_locks([&] {
    result = parameters == NULL ? SPI_execute_plan_extended(kept_plan(sql), &options)
                                : SPI_execute_extended(sql, &options);
  });
  if (result != SPI_OK_SELECT) elog(ERROR, "could not run \"%s\": %d", sql, result);
}

}  // namespace

Oid record_viewer() {
  return OidIsValid(viewer) ? viewer : GetUserId();
}

void as_viewer(Action body) {
  const Oid before = viewer;
  viewer = GetUserId();
  PG_TRY();
  {
    as_catalog_owner([&] {
      for (const Setting& setting : kByIndex) set_for_now_if_known(setting);
      body();
    });
  }
  PG_FINALLY();
  { viewer = before; }
  PG_END_TRY();
}

Datum record_rows(FunctionCallInfo fcinfo, const char* sql,
                  std::initializer_list<Value> arguments) {
  const ResultRows rows = begin_rows(fcinfo);
  MemoryContext context = ((ReturnSetInfo*)fcinfo->resultinfo)->econtext->ecxt_per_query_memory;
  ParamListInfo parameters = parameters_of(arguments);
  run_unrecorded([&] { as_viewer([&] { select_into(rows, context, sql, parameters); }); });
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
  return record_rows(
      fcinfo, psprintf("SELECT * FROM dpmix_internal.%s", quote_identifier(get_rel_name(view))));
}

Datum dpmix_charges(PG_FUNCTION_ARGS) {
  const auto argument = [&](int n, Oid type) {
    return Value(type, PG_GETARG_DATUM(n), PG_ARGISNULL(n));
  };
  return record_rows(fcinfo, "SELECT * FROM dpmix_internal.charges_seen($1, $2, $3, $4)",
                     {argument(0, REGCLASSOID), argument(1, TIMESTAMPTZOID),
                      argument(2, TIMESTAMPTZOID), argument(3, INT8OID)});
}

Datum dpmix_audited_tables(PG_FUNCTION_ARGS) {
  Datum numbers = (Datum)0;
  as_catalog_owner([&] {
    (void)read_rows(audited, {Value(REGCLASSOID, PG_GETARG_DATUM(0), PG_ARGISNULL(0))});
    numbers = ResultRow{}.copy(1);
  });
  PG_RETURN_DATUM(numbers);
}
