#include "pg/schedule/price.hpp"

#include "pg/catalog/open_protected.hpp"
#include "pg/query/blocks/moving_bounds.hpp"
#include "pg/query/query.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/release/preview.hpp"
#include "pg/schedule/at_due.hpp"
#include "pg/schedule/horizon.hpp"

extern "C" {
#include "access/table.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

QueryCall query_of(const Recipe* recipe) {
  constexpr int max_rows = 8;
  QueryCall call = {};
  Preview unused = preview_into(NULL);
  with_call(recipe->call, &unused,
            [&](FunctionCallInfo query) { call = query_call(query, max_rows); });
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
  const Const* params = argument_of(asked.recipe, "params");
  const Query* query = analyse_query_of(
      due.text, params != NULL ? DatumGetArrayTypeP(params->constvalue) : NULL, due.parameter);
  const MovingBounds* bounds = moving_bounds(query, due.parameter, source);
  if (bounds == NULL) return NULL;
  return periods_ahead(asked.schedule, asked.period, source->table->blocks, are_uniform(bounds),
                       [=](int64, TimestampTz moment, TimestampTz later) {
                         return places_at(bounds, moment, later);
                       });
}

int tables_with_blocks(const TablePrice& price) {
  int count = has_blocks(price.table->blocks);
  for (int i = 0; i < price.other_count; i++) count += has_blocks(price.others[i]->blocks);
  return count;
}

// The outlook of the account or grant that ends first. Nothing is known ahead of a charge to blocks
// of several tables.
Outlook outlook_of_query(const Asked& asked, const PricedQuery& priced) {
  Outlook nearest = {};
  for (int i = 0; i < priced.prices; i++) {
    const ProtectedTable* table = priced.price[i].table;
    const PeriodsAhead* ahead = NULL;
    const QuerySources* sources = priced.scope.sources;
    const bool known = has_blocks(table->blocks) && tables_with_blocks(priced.price[i]) == 1;
    for (int j = 0; j < sources->count && known; j++) {
      if (sources->source[j].table == table) ahead = ahead_of_query(asked, &sources->source[j]);
    }
    const Outlook outlook = outlook_of(request_of(priced.price[i]), ahead);
    if (i == 0 || outlook.calls < nearest.calls) nearest = outlook;
  }
  return nearest;
}

// Names are those of the column definition list, where the call has one.
void read_released(const ReleasedColumns* released, const RangeTblFunction* list,
                   PeriodPrice* price) {
  if (list != NULL) {
    check_columns(released, BuildDescFromLists(list->funccolnames, list->funccoltypes,
                                               list->funccoltypmods, list->funccolcollations));
  }
  price->columns = released->columns;
  price->column = (char**)palloc(sizeof(char*) * released->columns);
  price->type = (Oid*)palloc(sizeof(Oid) * released->columns);
  for (int i = 0; i < released->columns; i++) {
    price->column[i] =
        pstrdup(list != NULL ? strVal(list_nth(list->funccolnames, i)) : released->column[i].name);
    price->type[i] = released->column[i].type;
  }
}

PeriodPrice price_of_query(const Asked& asked) {
  const Recipe* recipe = recipe_at(asked.schedule, asked.recipe, asked.period);
  const PricedQuery priced = priced_query(query_of(recipe));
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
  read_released(priced.shape->released, recipe->columns, &price);
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

// The price of any release but a query.
PeriodPrice price_by_preview(const Asked& asked) {
  const Recipe* recipe = recipe_at(asked.schedule, asked.recipe, asked.period);
  const Oid relation = relation_of(recipe);
  // Rows that a source makes are of tables that the release opens. Elsewhere access comes first.
  const bool opened = OidIsValid(relation) && argument_of(recipe, "source") == NULL;
  const BlockColumn blocks = opened ? open_protected(relation)->blocks : BlockColumn{};
  Preview preview = preview_into(NULL, ahead_of_model(asked, blocks));
  ask(recipe->call, &preview);
  PeriodPrice price = {};
  if (recipe->form == RecipeForm::table_rows) read_columns(relation, &price);
  if (recipe->form == RecipeForm::rows) {
    price.columns = result_columns(recipe, &price.column, &price.type);
  }
  price.tables = preview.tables;
  price.table = preview.table;
  price.epsilon = preview.epsilon;
  price.delta = preview.delta;
  price.share = preview.outlook.share;
  price.calls = preview.outlook.calls;
  return price;
}

// Runs work as if the period were due.
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
