#include "core/noise/law.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/catalog/catalog_row.hpp"
#include "pg/query/query.hpp"
#include "pg/schedule/price.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

// The arguments of dpmix.query in its order, with its defaults.
constexpr const char* kQueryArguments[] = {"query",  "epsilon", "delta",     "mechanism",
                                           "params", "keys",    "max_groups"};

PricedQuery priced_query(const Recipe* recipe) {
  LOCAL_FCINFO(call, lengthof(kQueryArguments));
  InitFunctionCallInfoData(*call, NULL, lengthof(kQueryArguments), InvalidOid, NULL, NULL);
  const Datum defaults[] = {(Datum)0,
                            (Datum)0,
                            Float8GetDatum(0),
                            CStringGetTextDatum("auto"),
                            PointerGetDatum(construct_empty_array(TEXTOID)),
                            CStringGetTextDatum("declared"),
                            (Datum)0};
  for (int i = 0; i < (int)lengthof(kQueryArguments); i++) {
    const Datum* given = argument_of(recipe, kQueryArguments[i]);
    call->args[i] = {given != NULL ? *given : defaults[i],
                     given == NULL && strcmp(kQueryArguments[i], "max_groups") == 0};
  }
  return prepare(call, false);
}

PeriodPrice price_query_period(const Recipe* recipe) {
  const PricedQuery priced = priced_query(recipe);
  const Outlook outlook = nearest_outlook(&priced);
  PeriodPrice price = {};
  price.epsilon = priced.plan.epsilon;
  price.delta = priced.plan.delta;
  price.share = outlook.share;
  price.calls = outlook.calls;
  price.tables = priced.prices;
  price.table = (int64*)palloc(sizeof(int64) * priced.prices);
  for (int i = 0; i < priced.prices; i++) price.table[i] = priced.price[i].table->id;
  const ReleasedQuery* released = priced.shape->released;
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

double number(int column) {
  bool null;
  return DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &null));
}

// preview_gmm and preview_cda know their arguments only from SQL.
PeriodPrice price_model_period(const Recipe* recipe, const char* release) {
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
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
  const int result =
      SPI_execute_with_args(sql, own + recipe->arguments, types, values, NULL, false, 1);
  if (result != SPI_OK_SELECT || SPI_processed != 1) elog(ERROR, "a preview returned no row");
  bool null;
  price.epsilon = number(1);
  price.delta = number(2);
  price.share = number(3);
  price.calls =
      DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4, &null));
  SPI_finish();
  return price;
}

}  // namespace

PeriodPrice price_period(const Recipe* recipe, const char* release) {
  return recipe->kind == ScheduleKind::query ? price_query_period(recipe)
                                             : price_model_period(recipe, release);
}

}  // namespace dpmix::pg
