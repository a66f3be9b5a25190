#include "pg/schedule/release.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/schedule/at_due.hpp"
#include "pg/schedule/result_table.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/datetime.h"
}

namespace dpmix::pg {
namespace {

constexpr int kOwnArguments = 2;  // beside those of the spec

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

// $1: when it is due, or a model's name; $2: a relation; then the spec's.
char* release_sql(const Schedule* schedule, const Recipe* recipe) {
  const char* arguments = argument_list(recipe, kOwnArguments + 1);
  const char* function = recipe->kind->release.data();
  const char* call = NULL;
  switch (recipe->form) {
    case RecipeForm::model:
      return psprintf("SELECT FROM dpmix.%s(name => $1, relation => $2, %s)", function, arguments);
    case RecipeForm::query:
      call = psprintf("%s(%s) AS r (%s)", function, arguments, column_list(schedule, "", true));
      break;
    case RecipeForm::table_rows:
      call = psprintf("%s(row_type => NULL::%s, %s) AS r", function,
                      qualified_name(relation_of(recipe)), arguments);
      break;
    case RecipeForm::rows:
      call = psprintf("%s(relation => $2, %s) AS r", function, arguments);
      break;
  }
  return psprintf("INSERT INTO %s (due, %s) SELECT $1, %s FROM dpmix.%s", result_name(schedule),
                  column_list(schedule, "", false), column_list(schedule, "r.", false), call);
}

void run(const Schedule* schedule, const Recipe* recipe, int64 period) {
  const bool model = recipe->form == RecipeForm::model;
  Oid types[kOwnArguments + Recipe::kMaxArguments] = {TIMESTAMPTZOID, REGCLASSOID};
  if (model) types[0] = TEXTOID;
  Datum values[lengthof(types)] = {
      model ? CStringGetTextDatum(release_name(schedule, period))
            : TimestampTzGetDatum(due_of(schedule->calendar, period)),
      ObjectIdGetDatum(recipe->relation != NULL ? relation_of(recipe) : InvalidOid)};
  for (int i = 0; i < recipe->arguments; i++) {
    types[kOwnArguments + i] = recipe->type[i];
    values[kOwnArguments + i] = recipe->value[i];
  }
  char nulls[lengthof(types)];
  memset(nulls, ' ', sizeof nulls);
  if (recipe->relation == NULL) nulls[1] = 'n';
  SPI_connect();
  const int result =
      SPI_execute_with_args(release_sql(schedule, recipe), kOwnArguments + recipe->arguments, types,
                            values, nulls, false, 0);
  if (result < 0) elog(ERROR, "could not run a release: %d", result);
  SPI_finish();
}

}  // namespace

const char* release_name(const Schedule* schedule, int64 period) {
  const TimestampTz due = due_of(schedule->calendar, period);
  int zone;
  struct pg_tm time;
  fsec_t fraction;
  const char* zone_name;
  if (timestamp2tm(due, &zone, &time, &fraction, &zone_name, NULL) != 0) {
    elog(ERROR, "a period is due beyond the calendar");
  }
  char text[MAXDATELEN + 1];
  EncodeDateTime(&time, fraction, true, zone, zone_name, USE_ISO_DATES, text);
  return psprintf("%s %s", schedule->name, text);
}

void make_release(const Schedule* schedule, int64 period) {
  if (schedule->result_table != NULL) require_result_table(schedule);
  run(schedule, recipe_at(schedule, read_recipe(schedule->kind, schedule->spec), period), period);
}

bool is_refusal(const ErrorData* error) {
  const int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
  return category != ERRCODE_TO_CATEGORY(ERRCODE_QUERY_CANCELED) &&
         category != ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_RESOURCES);
}

}  // namespace dpmix::pg
