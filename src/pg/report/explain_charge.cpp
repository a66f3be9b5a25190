// dpmix.explain_charge: a charge's record, read as the catalog's owner for a caller who sees it in
// dpmix.ledger, and computed again by core.
#include "core/report/charge_account.hpp"

#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/sums_before.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_explain_charge);
}

namespace dpmix::pg {
namespace {

// Runs as the caller: the view decides who sees what.
Statement seen = {
    "SELECT FROM dpmix.ledger l WHERE l.id OPERATOR(pg_catalog.=) $1", 1, {INT8OID}, NULL};

Statement recorded = {
    "SELECT g.table_id, g.relation, g.role, g.granted_to, g.at, g.kind, g.mechanism, "
    "       g.epsilon, g.delta, g.cost, g.cost_delta, g.release, "
    "       p.accountant, coalesce(p.renyi_order, 0), p.adjacency, "
    "       n.cells, n.steps, g.parameters ? 'count_rate', "
    "       coalesce((g.parameters ->> 'coins')::int4, 0) "
    "FROM dpmix.charge g JOIN dpmix.protected_table p ON p.id = g.table_id, "
    "     LATERAL (SELECT array_agg((s ->> 'steps')::float8 ORDER BY n) AS steps, "
    "                     array_agg(coalesce((s ->> 'cells')::float8, "
    "                               (g.parameters ->> 'changed_groups')::float8) ORDER BY n) AS "
    "cells "
    "              FROM jsonb_array_elements(CASE WHEN g.parameters ->> 'statistics_left' = '0' "
    "                                        THEN g.parameters -> 'statistics' END) "
    "                   WITH ORDINALITY AS e(s, n)) n "
    "WHERE g.id = $1",
    1,
    {INT8OID},
    NULL};

Statement budgets = {
    "SELECT epsilon, delta, format('set by %s at %s: %s', role, at, reason), "
    "       at <= (SELECT g.at FROM dpmix.charge g WHERE g.id = $2) "
    "FROM dpmix.budget_change WHERE table_id = $1 ORDER BY id",
    2,
    {INT8OID, INT8OID},
    NULL};

struct Budget {
  const char *epsilon, *delta, *set_by;
};

struct Record {  // texts as PostgreSQL prints them, in the caller's memory
  int64 id, table_id;
  bool found;
  const char *relation, *role, *granted_to, *at, *kind, *mechanism, *release, *accountant,
      *adjacency;
  const char* charge[4];
  TableSums before;
  double order;
  int statistics;  // 0: not on record
  double *steps, *cells;
  bool count_rate;
  int coins;
  int budgets, in_force;
  Budget* budget;
  MemoryContext context;
};

// An array of one number for each statistic; NULL unless all are on record.
double* read_numbers(Record* record, int column) {
  bool null;
  Datum list = result_datum(0, column, &null);
  if (null) return NULL;
  MemoryContext old = MemoryContextSwitchTo(record->context);
  Datum* element;
  bool* missing;
  int count;
  deconstruct_array(DatumGetArrayTypeP(list), FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL,
                    TYPALIGN_DOUBLE, &element, &missing, &count);
  double* number = (double*)palloc(sizeof(double) * Max(count, 1));
  MemoryContextSwitchTo(old);
  for (int i = 0; i < count; i++) {
    if (missing[i]) return NULL;
    number[i] = DatumGetFloat8(element[i]);
  }
  record->statistics = count;
  return number;
}

void read_charge(Record* record) {
  Datum id = Int64GetDatum(record->id);
  if (read_rows(recorded, &id) != 1) return;
  bool null;
  record->found = true;
  record->table_id = DatumGetInt64(result_datum(0, 1, &null));
  const char** text[] = {&record->relation, &record->role, &record->granted_to,
                         &record->at,       &record->kind, &record->mechanism};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = result_text(0, i + 2);
  for (int i = 0; i < 4; i++) record->charge[i] = result_text(0, i + 8);
  record->release = result_text(0, 12);
  record->accountant = result_text(0, 13);
  record->order = DatumGetFloat8(result_datum(0, 14, &null));
  record->adjacency = result_text(0, 15);
  record->cells = read_numbers(record, 16);
  record->steps = read_numbers(record, 17);
  record->count_rate = DatumGetBool(result_datum(0, 18, &null)) && !null;
  record->coins = DatumGetInt32(result_datum(0, 19, &null));
}

void read_record(void* arg) {
  Record* record = (Record*)arg;
  read_charge(record);
  if (!record->found) return;
  bool null;
  Datum values[] = {Int64GetDatum(record->table_id), Int64GetDatum(record->id)};
  record->before = sums_before(record->table_id, record->id);

  record->budgets = (int)read_rows(budgets, values);
  record->budget =
      (Budget*)MemoryContextAlloc(record->context, sizeof(Budget) * Max(record->budgets, 1));
  for (int i = 0; i < record->budgets; i++) {
    record->budget[i] = {result_text(i, 1), result_text(i, 2), result_text(i, 3)};
    if (DatumGetBool(result_datum(i, 4, &null))) record->in_force = i;
  }
}

void require_seen(int64 id) {
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
  Datum value = Int64GetDatum(id);
  const bool visible = read_rows(seen, &value) == 1;
  SPI_finish();
  if (visible) return;
  ereport(
      ERROR,
      (errcode(DPMIX_SQLSTATE(not_protected)),
       errmsg("there is no charge " INT64_FORMAT ", or it is not yours to see", id),
       errdetail("A charge is shown to the owner of its table and to the role that was charged."),
       errhint("The charges that you may see are in dpmix.ledger.")));
}

Spending spending(const char* const text[4]) {
  return {Decimal::parse(text[0]), Decimal::parse(text[1]), Decimal::parse(text[2]),
          Decimal::parse(text[3])};
}

ChargeFacts facts_of(const Record& record) {
  ChargeFacts facts{.mechanism = record.mechanism,
                    .accounting = {accountant_of(record.accountant).value(), record.order},
                    .adjacency = adjacency_of(record.adjacency).value(),
                    .charge = spending(record.charge),
                    .before = spending(record.before.sum),
                    .charges_before = record.before.charges,
                    .budgets = {},
                    .in_force = static_cast<std::size_t>(record.in_force),
                    .noise = {},
                    .count_rate = record.count_rate,
                    .coins = record.coins};
  for (int i = 0; i < record.budgets; i++) {
    const Budget& budget = record.budget[i];
    facts.budgets.push_back(
        {Decimal::parse(budget.epsilon), Decimal::parse(budget.delta), budget.set_by});
  }
  if (record.steps != NULL && record.cells != NULL) {
    for (int i = 0; i < record.statistics; i++) {
      facts.noise.push_back({record.steps[i], static_cast<int>(record.cells[i])});
    }
  }
  return facts;
}

void put_line(ReturnSetInfo* result, const char* item, const char* value, const char* meaning) {
  Datum values[] = {CStringGetTextDatum(item), CStringGetTextDatum(value),
                    CStringGetTextDatum(meaning)};
  bool nulls[lengthof(values)] = {};
  tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

// What the record says without any computing.
void put_header(ReturnSetInfo* result, const Record* record) {
  put_line(result, "table", record->relation, "its name when it was charged");
  put_line(
      result, "release",
      record->release == NULL ? record->kind : psprintf("%s %s", record->kind, record->release),
      psprintf("by mechanism %s, at %s", record->mechanism, record->at));
  put_line(result, "charged role", record->role,
           record->granted_to == NULL ? "as owner or superuser"
                                      : psprintf("through the grant to %s", record->granted_to));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_explain_charge(PG_FUNCTION_ARGS) {
  Record record = {};
  record.id = PG_GETARG_INT64(0);
  record.context = CurrentMemoryContext;
  require_seen(record.id);
  as_catalog_owner(read_record, &record);
  if (!record.found || record.budgets == 0) {
    elog(ERROR, "charge " INT64_FORMAT " has no table or budget on record", record.id);
  }

  InitMaterializedSRF(fcinfo, 0);
  ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  put_header(result, &record);
  guard([&] {
    for (const AccountLine& line : account_of(facts_of(record)).lines) {
      const char *item = line.item.c_str(), *value = line.value.c_str(),
                 *meaning = line.meaning.c_str();
      postgres([&] { put_line(result, item, value, meaning); });
    }
  });
  return (Datum)0;
}
