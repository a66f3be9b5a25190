#include "pg/schedule/release.hpp"

#include "pg/border/guard.hpp"
#include "pg/schedule/at_due.hpp"
#include "pg/schedule/result_table.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
}

namespace dpmix::pg {
namespace {

// "column, ..." with a prefix, and types if asked for.
char* column_list(const Schedule* schedule, const char* prefix, bool types) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < schedule->columns; i++) {
    appendStringInfo(&list, "%s%s%s", i > 0 ? ", " : "", prefix,
                     quote_identifier(schedule->column[i]));
    if (types) appendStringInfo(&list, " %s", column_type(schedule->type[i]));
  }
  return list.data;
}

// "name => $n, ..." of all arguments, numbered from the second parameter.
char* argument_list(const Recipe* recipe) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < list_length(recipe->call->args); i++) {
    appendStringInfo(&list, "%s%s => $%d", i > 0 ? ", " : "", recipe->argument[i], i + 2);
  }
  return list.data;
}

// $1: when it is due; then the call's arguments.
char* release_sql(const Schedule* schedule, const Recipe* recipe) {
  const char* call = psprintf("dpmix.%s(%s)", recipe->kind->release.data(), argument_list(recipe));
  if (recipe->form == RecipeForm::model) return psprintf("SELECT FROM %s", call);
  const char* columns =
      recipe->form == RecipeForm::query ? psprintf(" (%s)", column_list(schedule, "", true)) : "";
  return psprintf("INSERT INTO %s (due, %s) SELECT $1, %s FROM %s AS r%s", result_name(schedule),
                  column_list(schedule, "", false), column_list(schedule, "r.", false), call,
                  columns);
}

void run(const Schedule* schedule, const Recipe* recipe, int64 period) {
  const List* arguments = recipe->call->args;
  const int count = 1 + list_length(arguments);
  Oid* types = (Oid*)palloc(sizeof(Oid) * count);
  Datum* values = (Datum*)palloc(sizeof(Datum) * count);
  char* nulls = (char*)palloc(count);
  types[0] = TIMESTAMPTZOID;
  values[0] = TimestampTzGetDatum(due_of(schedule->calendar, period));
  nulls[0] = ' ';
  for (int i = 1; i < count; i++) {
    const Const* value = list_nth_node(Const, arguments, i - 1);
    types[i] = value->consttype;
    values[i] = value->constvalue;
    nulls[i] = value->constisnull ? 'n' : ' ';
  }
  SPI_connect();
  const int result =
      SPI_execute_with_args(release_sql(schedule, recipe), count, types, values, nulls, false, 0);
  if (result < 0) elog(ERROR, "could not run a release: %d", result);
  SPI_finish();
}

}  // namespace

void make_release(const Schedule* schedule, int64 period) {
  if (schedule->result_table != NULL) require_result_table(schedule);
  run(schedule, recipe_at(schedule, read_recipe(schedule->call), period), period);
}

bool is_refusal(const ErrorData* error) {
  const int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
  return category != ERRCODE_TO_CATEGORY(ERRCODE_QUERY_CANCELED) &&
         category != ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_RESOURCES);
}

}  // namespace dpmix::pg
