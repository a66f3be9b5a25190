#include "pg/schedule/price.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/query/blocks/moving_bounds.hpp"
#include "pg/query/query.hpp"
#include "pg/query/read/text.hpp"
#include "pg/schedule/at_due.hpp"
#include "pg/schedule/horizon.hpp"
#include "pg/schedule/release.hpp"

extern "C" {
#include "access/table.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

QueryCall call_of(const Recipe* recipe) {
  QueryCall call = {.text = TextDatumGetCString(*argument_of(recipe, "query")),
                    .epsilon = DatumGetFloat8(*argument_of(recipe, "epsilon"))};
  if (const Datum* delta = argument_of(recipe, "delta")) call.delta = DatumGetFloat8(*delta);
  if (const Datum* mechanism = argument_of(recipe, "mechanism")) {
    call.mechanism = mechanism_named(TextDatumGetCString(*mechanism));
    call.accurate = is_accurate(TextDatumGetCString(*mechanism));
  }
  if (const Datum* params = argument_of(recipe, "params")) {
    call.params = DatumGetArrayTypeP(*params);
  }
  if (const Datum* keys = argument_of(recipe, "keys")) {
    call.discover = discovers(TextDatumGetCString(*keys));
  }
  if (const Datum* most = argument_of(recipe, "max_groups")) {
    call.max_groups = DatumGetInt32(*most);
  }
  if (const Datum* all = argument_of(recipe, "all_blocks")) call.all_blocks = DatumGetBool(*all);
  return call;
}

struct Asked {
  const Schedule* schedule;
  const Recipe* recipe;
  int64 period;
};

// NULL: the query's blocks do not follow from $due alone.
const PeriodsAhead* ahead_of_query(const Asked& asked, const QuerySource* source) {
  const DueText due = text_of_due(asked.recipe);
  if (due.text == NULL) return NULL;
  const Datum* params = argument_of(asked.recipe, "params");
  const Query* query = analyse_query_of(
      due.text, params != NULL ? DatumGetArrayTypeP(*params) : NULL, due.parameter);
  const MovingBounds* bounds = moving_bounds(query, due.parameter, source);
  if (bounds == NULL) return NULL;
  return periods_ahead(asked.schedule, asked.period, source->table->blocks, are_uniform(bounds),
                       [=](int64, TimestampTz moment, TimestampTz later) {
                         return places_at(bounds, moment, later);
                       });
}

// Of the account or grant that ends first.
Outlook outlook_of_query(const Asked& asked, const PricedQuery& priced) {
  Outlook nearest = {};
  for (int i = 0; i < priced.prices; i++) {
    const ProtectedTable* table = priced.price[i].table;
    const PeriodsAhead* ahead = NULL;
    const QuerySources* sources = priced.scope.sources;
    for (int j = 0; j < sources->count && has_blocks(table->blocks); j++) {
      if (sources->source[j].table == table) ahead = ahead_of_query(asked, &sources->source[j]);
    }
    const Outlook outlook = outlook_of(request_of(priced.price[i]), ahead);
    if (i == 0 || outlook.calls < nearest.calls) nearest = outlook;
  }
  return nearest;
}

PeriodPrice price_of_query(const Asked& asked) {
  const Recipe* recipe = recipe_at(asked.schedule, asked.recipe, asked.period);
  const PricedQuery priced = priced_query(call_of(recipe));
  const Outlook outlook = outlook_of_query(asked, priced);
  PeriodPrice price = {};
  price.epsilon = priced.plan.epsilon;
  price.delta = priced.plan.delta;
  price.share = outlook.share;
  price.calls = outlook.calls;
  const QuerySources* sources = priced.scope.sources;
  price.table = (int64*)palloc(sizeof(int64) * sources->count);
  for (int i = 0; i < sources->count; i++) {
    const ProtectedTable* table = sources->source[i].table;
    if (table != NULL) price.table[price.tables++] = table->id;
  }
  const ReleasedColumns* released = priced.shape->released;
  price.columns = released->columns;
  price.column = (char**)palloc(sizeof(char*) * released->columns);
  price.type = (Oid*)palloc(sizeof(Oid) * released->columns);
  for (int i = 0; i < released->columns; i++) {
    price.column[i] = pstrdup(released->column[i].name);
    price.type[i] = released->column[i].type;
  }
  return price;
}

void read_columns(Oid relation, PeriodPrice* price) {
  Relation table = table_open(relation, AccessShareLock);
  const TupleDesc desc = RelationGetDescr(table);
  price->column = (char**)palloc(sizeof(char*) * Max(desc->natts, 1));
  price->type = (Oid*)palloc(sizeof(Oid) * Max(desc->natts, 1));
  for (int i = 0; i < desc->natts; i++) {
    const Form_pg_attribute column = TupleDescAttr(desc, i);
    if (column->attisdropped) continue;
    price->column[price->columns] = pstrdup(NameStr(column->attname));
    price->type[price->columns++] = column->atttypid;
  }
  table_close(table, NoLock);
}

const PeriodsAhead* ahead_of_model(const Asked& asked, const BlockColumn& blocks) {
  if (!has_blocks(blocks) || !reads_period(asked.recipe)) return NULL;
  const auto places = [&](int64 period, TimestampTz, TimestampTz) {
    const Places read = places_of_period(asked.schedule, blocks, period);
    return Places{Max(read.first, blocks.grid.first), read.last};
  };
  return periods_ahead(asked.schedule, asked.period, blocks, true, places);
}

// Previews of models and synthetic tables know their arguments only from SQL.
PeriodPrice price_by_preview(const Asked& asked) {
  const Recipe* recipe = recipe_at(asked.schedule, asked.recipe, asked.period);
  const char* release = release_name(asked.schedule, asked.period);
  const Oid relation = relation_of(recipe);
  const ProtectedTable* table = open_protected(relation);  // access first
  preview_periods(ahead_of_model(asked, table->blocks));
  PeriodPrice price = {};
  price.tables = 1;
  price.table = (int64*)palloc(sizeof(int64));
  price.table[0] = table->id;
  const bool model = makes_models(recipe->kind);
  if (!model) read_columns(relation, &price);
  const int own = model ? 2 : 0;  // arguments that are not in the spec
  Oid types[2 + Recipe::kMaxArguments] = {TEXTOID, REGCLASSOID};
  Datum values[lengthof(types)] = {CStringGetTextDatum(release), ObjectIdGetDatum(relation)};
  for (int i = 0; i < recipe->arguments; i++) {
    types[own + i] = recipe->type[i];
    values[own + i] = recipe->value[i];
  }
  const char* preview =
      model ? psprintf("preview_%s(name => $1, relation => $2", name(recipe->kind))
            : psprintf("preview_cda(row_type => NULL::%s", qualified_name(relation));
  const char* sql = psprintf("SELECT epsilon, delta, charge_share, calls_left FROM dpmix.%s, %s)",
                             preview, argument_list(recipe, own + 1));
  SPI_connect();
  const int result =
      SPI_execute_with_args(sql, own + recipe->arguments, types, values, NULL, false, 1);
  if (result != SPI_OK_SELECT || SPI_processed != 1) elog(ERROR, "a preview returned no row");
  const ResultRow row;
  price.epsilon = row.float8(1);
  price.delta = row.float8(2);
  price.share = row.float8(3);
  price.calls = row.int8(4);
  SPI_finish();
  return price;
}

}  // namespace

PeriodPrice period_price(const Schedule* schedule, const Recipe* recipe, int64 period) {
  const Asked asked = {schedule, recipe, period};
  PeriodPrice price;
  PG_TRY();
  {
    end_blocks_at(due_of(schedule->calendar, period));
    price = recipe->kind == ScheduleKind::query ? price_of_query(asked) : price_by_preview(asked);
  }
  PG_FINALLY();
  {
    end_blocks_at(0);
    preview_periods(NULL);
  }
  PG_END_TRY();
  return price;
}

}  // namespace dpmix::pg
