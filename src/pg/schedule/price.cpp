#include "pg/schedule/price.hpp"

#include "pg/catalog/open_protected.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/release/preview.hpp"
#include "pg/query/blocks/moving_bounds.hpp"
#include "pg/query/query.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/schedule/at_due.hpp"
#include "pg/schedule/horizon.hpp"
#include "pg/schedule/release.hpp"

extern "C" {
#include "access/table.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
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
    call.keys = keys_named(TextDatumGetCString(*keys));
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
  const ProtectedTable** tables;
  const int count = protected_tables(priced.scope.sources, &tables);
  price.table = (int64*)palloc(sizeof(int64) * count);
  for (int i = 0; i < count; i++) price.table[price.tables++] = tables[i]->id;
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

Const* constant_of(Oid type, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return makeConst(type, -1, get_typcollation(type), length, value, false, by_value);
}

// Of all but queries.
PeriodPrice price_by_preview(const Asked& asked) {
  const Recipe* recipe = recipe_at(asked.schedule, asked.recipe, asked.period);
  const char* release = release_name(asked.schedule, asked.period);
  const bool named = recipe->relation != NULL;
  const Oid relation = named ? relation_of(recipe) : InvalidOid;
  const bool made = argument_of(recipe, "source") != NULL;  // whose tables the release opens
  const BlockColumn blocks =
      made ? BlockColumn{} : open_protected(relation)->blocks;  // access first
  PeriodPrice price = {};
  const RecipeForm form = recipe->form;
  if (form == RecipeForm::table_rows) read_columns(relation, &price);
  if (form == RecipeForm::rows) {
    price.columns = result_columns(recipe->kind, &price.column, &price.type);
  }
  const FuncExpr* call = release_call(recipe->kind, [&](const char* argument) -> Const* {
    if (strcmp(argument, "name") == 0) return constant_of(TEXTOID, CStringGetTextDatum(release));
    if (strcmp(argument, "relation") == 0 && named) {
      return constant_of(REGCLASSOID, ObjectIdGetDatum(relation));
    }
    if (strcmp(argument, "row_type") == 0) {
      return makeNullConst(get_rel_type_id(relation), -1, InvalidOid);
    }
    for (int i = 0; i < recipe->arguments; i++) {
      if (strcmp(argument, recipe->name[i]) != 0) continue;
      return constant_of(recipe->type[i], recipe->value[i]);
    }
    return NULL;
  });
  Preview preview = preview_into(NULL, ahead_of_model(asked, blocks));
  ask(call, &preview);
  price.tables = preview.tables;
  price.table = preview.table;
  price.epsilon = preview.epsilon;
  price.delta = preview.delta;
  price.share = preview.outlook.share;
  price.calls = preview.outlook.calls;
  return price;
}

// As if it were due.
void at_time(TimestampTz due, Action work) {
  PG_TRY();
  {
    end_blocks_at(due);
    work();
  }
  PG_CATCH();
  {
    end_blocks_at(0);
    PG_RE_THROW();
  }
  PG_END_TRY();
  end_blocks_at(0);
}

}  // namespace

PeriodPrice period_price(const Schedule* schedule, const Recipe* recipe, int64 period) {
  const Asked asked = {schedule, recipe, period};
  PeriodPrice price;
  at_time(due_of(schedule->calendar, period), [&] {
    price = recipe->form == RecipeForm::query ? price_of_query(asked) : price_by_preview(asked);
  });
  return price;
}

}  // namespace dpmix::pg
