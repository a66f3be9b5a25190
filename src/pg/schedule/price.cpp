#include "pg/schedule/price.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/query/query.hpp"

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
  return call;
}

PeriodPrice price_of_query(const Recipe* recipe) {
  const PricedQuery priced = priced_query(call_of(recipe));
  const Outlook outlook = nearest_outlook(&priced);
  PeriodPrice price = {};
  price.epsilon = priced.plan.epsilon;
  price.delta = priced.plan.delta;
  price.share = outlook.share;
  price.calls = outlook.calls;
  price.tables = priced.prices;
  price.table = (int64*)palloc(sizeof(int64) * priced.prices);
  for (int i = 0; i < priced.prices; i++) price.table[i] = priced.price[i].table->id;
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

// preview_gmm and preview_cda know their arguments only from SQL.
PeriodPrice price_of_model(const Recipe* recipe, const char* release) {
  const Oid relation = relation_of(recipe);
  PeriodPrice price = {};
  price.tables = 1;
  price.table = (int64*)palloc(sizeof(int64));
  price.table[0] = open_protected(relation)->id;  // access first
  const bool gmm = recipe->kind == ScheduleKind::gmm;
  if (!gmm) read_columns(relation, &price);
  const int own = gmm ? 2 : 0;  // arguments that are not in the spec
  Oid types[2 + Recipe::kMaxArguments] = {TEXTOID, REGCLASSOID};
  Datum values[lengthof(types)] = {CStringGetTextDatum(release), ObjectIdGetDatum(relation)};
  for (int i = 0; i < recipe->arguments; i++) {
    types[own + i] = recipe->type[i];
    values[own + i] = recipe->value[i];
  }
  const char* preview =
      gmm ? "preview_gmm(name => $1, relation => $2"
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

PeriodPrice period_price(const Recipe* recipe, const char* release) {
  return recipe->kind == ScheduleKind::query ? price_of_query(recipe)
                                             : price_of_model(recipe, release);
}

}  // namespace dpmix::pg
