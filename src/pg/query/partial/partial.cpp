// dpmix.partial_sql and dpmix.partial: exact states of one database, for dpmix.merge. Neither
// charges, as neither reads a row with other rights than those of the caller's own SELECT.
#include "pg/border/arguments.hpp"
#include "pg/query/ask.hpp"
#include "pg/query/partial/exact_query.hpp"
#include "pg/query/read/text.hpp"

extern "C" {
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/guc.h"
PG_FUNCTION_INFO_V1(dpmix_partial_sql);
PG_FUNCTION_INFO_V1(dpmix_partial);
}

namespace dpmix::pg {
namespace {

Query* read_partial(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 2);
  const Query* query = analyse_query_text(text_argument(fcinfo, 0), PG_GETARG_ARRAYTYPE_P(1));
  return partial_query(check_query(query, {.all_blocks = true}));
}

void check_partial_columns(const Query* query, TupleDesc columns) {
  const int count = list_length(query->targetList);
  ReleasedColumn* column = (ReleasedColumn*)palloc0(sizeof(ReleasedColumn) * count);
  for (int i = 0; i < count; i++) {
    const TargetEntry* entry = list_nth_node(TargetEntry, query->targetList, i);
    const Node* value = (const Node*)entry->expr;
    column[i] = {entry->resname, exprType(value), exprTypmod(value), NULL};
  }
  check_columns(count, column, columns);
}

// Runs the text as if the caller had sent it: parsed, rewritten (row-level security), checked,
// planned.
void run_as_caller(const char* text, Tuplestorestate* rows, MemoryContext context) {
  SPI_connect();
  const int level = begin_portable_sql();
  SPIPlanPtr plan = SPI_prepare_cursor(text, 0, NULL, CURSOR_OPT_PARALLEL_OK);
  if (plan == NULL) elog(ERROR, "SPI_prepare failed");
  SPIExecuteOptions options = {};
  options.read_only = true;
  options.dest = CreateDestReceiver(DestTuplestore);
  SetTuplestoreDestReceiverParams(options.dest, rows, context, false, NULL, NULL);
  if (SPI_execute_plan_extended(plan, &options) != SPI_OK_SELECT) elog(ERROR, "SPI_execute failed");
  AtEOXact_GUC(false, level);
  SPI_finish();
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_partial_sql(PG_FUNCTION_ARGS) {
  PG_RETURN_TEXT_P(cstring_to_text(text_of_query(read_partial(fcinfo))));
}

Datum dpmix_partial(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_answer(fcinfo, "partial");
  Query* query = read_partial(fcinfo);
  check_partial_columns(query, rows.type);
  const ReturnSetInfo* result = (const ReturnSetInfo*)fcinfo->resultinfo;
  run_as_caller(text_of_query(query), rows.store, result->econtext->ecxt_per_query_memory);
  return (Datum)0;
}
}
