// The rows of pg/query/aggregates, as the library has them. For tests alone.
#include "pg/query/read/aggregate.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(aggregate_rows);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}

// A line each: number|name|arguments|type|measure of cubes|counters|names in plain SQL.
Datum aggregate_rows(PG_FUNCTION_ARGS) {
  using namespace dpmix::pg;
  StringInfoData out;
  initStringInfo(&out);
  for (const Aggregate* row = first_aggregate(); row != NULL; row = row->next) {
    const bool measure = row->in_cubes.word != NULL;
    appendStringInfo(&out, "%d|%s|%s|%s|%s|%s|", row->stored.given, row->name.given,
                     strchr(call_text(row), '('), format_type_be(row->type),
                     measure ? row->in_cubes.word : "", row->in_counters ? "counters" : "");
    for (const PlainName& plain : row->plain) {
      appendStringInfo(&out, " %s", plain.name);
    }
    appendStringInfoChar(&out, '\n');
  }
  return PointerGetDatum(cstring_to_text(out.data));
}
}
