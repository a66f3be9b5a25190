#include "pg/border/statement.hpp"

#include "pg/border/unrecorded.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostArguments = 20;

void prepare_plan(Statement& statement, std::initializer_list<Value> arguments) {
  Oid types[kMostArguments];
  int count = 0;
  for (const Value& argument : arguments) types[count++] = argument.type;
  // Planned once: for arrays of one element PostgreSQL would plan in each run.
  SPIPlanPtr plan = SPI_prepare_cursor(statement.sql, count, types, CURSOR_OPT_GENERIC_PLAN);
  if (plan == NULL) elog(ERROR, "could not prepare \"%s\": %d", statement.sql, SPI_result);
  SPI_keepplan(plan);
  statement.plan = plan;
}

// A copy in the memory context of SPI's caller.
char* spi_copy(const char* text) {
  return strcpy((char*)SPI_palloc(strlen(text) + 1), text);
}

uint64 run(Statement& statement, std::initializer_list<Value> arguments, bool read_only) {
  Assert(arguments.size() <= kMostArguments);
  if (statement.plan == NULL) prepare_plan(statement, arguments);
  Datum values[kMostArguments];
  char nulls[kMostArguments];
  int count = 0;
  for (const Value& argument : arguments) {
    Assert(SPI_getargtypeid(statement.plan, count) == argument.type);
    values[count] = argument.datum;
    nulls[count++] = argument.null ? 'n' : ' ';
  }
  // Beside parallel workers the newest snapshot is only to be had as those of catalog scans are.
  Snapshot newest =
      RegisterSnapshot(IsInParallelMode() ? GetCatalogSnapshot(InvalidOid) : GetLatestSnapshot());
  int result;
  const auto execute = [&] {
    result = SPI_execute_snapshot(statement.plan, values, nulls, newest, InvalidSnapshot, read_only,
                                  true, 0);
  };
  if (read_only) {
    run_unrecorded([&] { without_locks(execute); });
  } else {
    execute();
  }
  UnregisterSnapshot(newest);
  if (result < 0) elog(ERROR, "could not run \"%s\": %d", statement.sql, result);
  return SPI_processed;
}

// A kept plan is made anew for another search_path: it has to be the same in each run.
uint64 run_under_own_path(Statement& statement, std::initializer_list<Value> arguments,
                          bool read_only) {
  uint64 rows = 0;
  under_own_path([&] { rows = run(statement, arguments, read_only); });
  return rows;
}

}  // namespace

uint64 read_rows(Statement& statement, std::initializer_list<Value> arguments) {
  return run_under_own_path(statement, arguments, true);
}

uint64 write_rows(Statement& statement, std::initializer_list<Value> arguments) {
  return run_under_own_path(statement, arguments, false);
}

void run_text(const char* sql, int expected) {
  under_own_path([&] {
    const int result = SPI_execute(sql, expected == SPI_OK_SELECT, 0);
    if (result != expected) elog(ERROR, "could not run \"%s\": %d", sql, result);
  });
}

Datum ResultRow::datum(int column, bool* null) const {
  return SPI_getbinval(SPI_tuptable->vals[number], SPI_tuptable->tupdesc, column, null);
}

bool ResultRow::is_null(int column) const {
  bool null;
  (void)datum(column, &null);
  return null;
}

bool ResultRow::truth(int column) const {
  bool null;
  const Datum value = datum(column, &null);
  return !null && DatumGetBool(value);
}

int32 ResultRow::int4(int column) const {
  bool null;
  const Datum value = datum(column, &null);
  return null ? 0 : DatumGetInt32(value);
}

int64 ResultRow::int8(int column) const {
  bool null;
  const Datum value = datum(column, &null);
  return null ? 0 : DatumGetInt64(value);
}

double ResultRow::float8(int column) const {
  bool null;
  const Datum value = datum(column, &null);
  return null ? 0 : DatumGetFloat8(value);
}

Oid ResultRow::oid(int column) const {
  bool null;
  const Datum value = datum(column, &null);
  return null ? InvalidOid : DatumGetObjectId(value);
}

TimestampTz ResultRow::time(int column) const {
  return int8(column);
}

char* ResultRow::text(int column) const {
  char* printed = SPI_getvalue(SPI_tuptable->vals[number], SPI_tuptable->tupdesc, column);
  if (printed == NULL) return NULL;
  char* copy = spi_copy(printed);
  pfree(printed);
  return copy;
}

Datum ResultRow::copy(int column) const {
  bool null;
  Datum value = datum(column, &null);
  if (null) return (Datum)0;
  int16 length;
  bool by_value;
  get_typlenbyval(SPI_gettypeid(SPI_tuptable->tupdesc, column), &length, &by_value);
  // What is unpacked later is unpacked in memory that goes with SPI_finish.
  if (length == -1) value = PointerGetDatum(PG_DETOAST_DATUM(value));
  return SPI_datumTransfer(value, by_value, length);
}

namespace {

char* c_string(Datum value) {
  return TextDatumGetCString(value);
}

// The elements of an array without NULLs, each `size` bytes, in one piece.
void* plain_elements(const ResultRow& row, int column, Size size, int* count) {
  *count = 0;
  bool null;
  const Datum value = row.datum(column, &null);
  if (null) return NULL;
  ArrayType* array = DatumGetArrayTypeP(value);
  if (array_contains_nulls(array)) elog(ERROR, "column %d holds an array with NULLs", column);
  *count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  void* copy = SPI_palloc(Max((Size)*count, 1) * size);
  return memcpy(copy, ARR_DATA_PTR(array), *count * size);
}

}  // namespace

Oid* ResultRow::oids(int column, int* count) const {
  return (Oid*)plain_elements(*this, column, sizeof(Oid), count);
}

double* ResultRow::float8s(int column, int* count) const {
  return (double*)plain_elements(*this, column, sizeof(double), count);
}

char** ResultRow::texts(int column, int* count) const {
  *count = 0;
  bool null;
  const Datum value = datum(column, &null);
  if (null) return NULL;
  ArrayType* array = DatumGetArrayTypeP(value);
  const bool names = ARR_ELEMTYPE(array) == NAMEOID;
  Datum* element;
  bool* missing;
  deconstruct_array(array, ARR_ELEMTYPE(array), names ? NAMEDATALEN : -1, false,
                    names ? TYPALIGN_CHAR : TYPALIGN_INT, &element, &missing, count);
  char** texts = (char**)SPI_palloc(Max(*count, 1) * sizeof(char*));
  for (int i = 0; i < *count; i++) {
    texts[i] = NULL;
    if (missing[i]) continue;
    texts[i] = spi_copy(names ? NameStr(*DatumGetName(element[i])) : c_string(element[i]));
  }
  return texts;
}

}  // namespace dpmix::pg
