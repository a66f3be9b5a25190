// dpmix.explain_charge: a charge's record, read as the catalog's owner for a caller who sees it in
// dpmix.ledger, and computed again by core.
#include "core/report/charge_account.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/sums.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_explain_charge);
}

namespace dpmix::pg {
namespace {

// Runs as the caller: the view decides who sees what.
Statement seen = {"SELECT FROM dpmix.ledger l WHERE l.id OPERATOR(pg_catalog.=) $1"};

Statement recorded = {
    "SELECT g.table_id, g.relation, g.role, g.granted_to, g.at, g.kind, g.mechanism, "
    "       g.epsilon, g.delta, g.cost, g.cost_delta, g.release, "
    "       p.accountant, coalesce(p.renyi_order, 0), p.adjacency, "
    "       n.cells, n.steps, "
    "       coalesce((g.parameters ->> 'coins')::int4, 0) "
    "FROM dpmix.charge g JOIN dpmix.protected_table p ON p.id = g.table_id, "
    "     LATERAL (SELECT CASE WHEN bool_and(s ?& ARRAY['steps', 'cells']) THEN "
    "                       array_agg((s ->> 'steps')::float8 ORDER BY n) END AS steps, "
    "                     array_agg((s ->> 'cells')::float8 ORDER BY n) AS cells "
    "              FROM jsonb_array_elements(CASE WHEN g.parameters ->> 'statistics_left' = '0' "
    "                                        THEN g.parameters -> 'statistics' END) "
    "                   WITH ORDINALITY AS e(s, n)) n "
    "WHERE g.id = $1"};

Statement budgets = {
    "SELECT epsilon, delta, format('set by %s at %s: %s', role, at, reason), "
    "       at <= (SELECT g.at FROM dpmix.charge g WHERE g.id = $2) "
    "FROM dpmix.budget_change WHERE table_id = $1 ORDER BY id"};

struct Budget {
  const char *epsilon, *delta, *set_by;
};

struct Record {  // texts as PostgreSQL prints them, in the caller's memory
  bool found;
  const char *relation, *role, *granted_to, *at, *kind, *mechanism, *release, *accountant,
      *adjacency;
  Sums charge;
  TableSums before;
  double order;
  int statistics;  // 0: not on record
  double *steps, *cells;
  int coins;
  int budgets, in_force;
  Budget* budget;
};

void read_budgets(int64 table, int64 charge, Record* record) {
  record->budgets = (int)read_rows(budgets, {table, charge});
  record->budget = (Budget*)SPI_palloc(sizeof(Budget) * Max(record->budgets, 1));
  for (int i = 0; i < record->budgets; i++) {
    const ResultRow row = {(uint64)i};
    record->budget[i] = {row.text(1), row.text(2), row.text(3)};
    if (row.truth(4)) record->in_force = i;
  }
}

Record read_record(int64 id) {
  Record record = {};
  as_catalog_owner([&] {
    if (read_rows(recorded, {id}) != 1) return;
    const ResultRow row;
    const int64 table = row.int8(1);
    record.found = true;
    record.relation = row.text(2);
    record.role = row.text(3);
    record.granted_to = row.text(4);
    record.at = row.text(5);
    record.kind = row.text(6);
    record.mechanism = row.text(7);
    record.charge = sums_in(row, 8);
    record.release = row.text(12);
    record.accountant = row.text(13);
    record.order = row.float8(14);
    record.adjacency = row.text(15);
    record.steps = row.float8s(17, &record.statistics);
    if (record.statistics > 0) record.cells = row.float8s(16, &record.statistics);
    record.coins = row.int4(18);
    record.before = sums_before(table, id);
    read_budgets(table, id, &record);
  });
  return record;
}

void require_seen(int64 id) {
  SPI_connect();
  const bool visible = read_rows(seen, {id}) == 1;
  SPI_finish();
  if (visible) return;
  refuse(ErrorCode::not_protected,
         psprintf("there is no charge " INT64_FORMAT ", or it is not yours to see", id),
         "A charge is shown to the owner of its table and to the role that was charged.",
         "The charges that you may see are in dpmix.ledger.");
}

ChargeFacts facts_of(const Record& record) {
  ChargeFacts facts{.mechanism = record.mechanism,
                    .accounting = {accountant_of(record.accountant).value(), record.order},
                    .adjacency = adjacency_of(record.adjacency).value(),
                    .charge = spending_of(record.charge),
                    .before = spending_of(record.before.sums),
                    .charges_before = record.before.charges,
                    .budgets = {},
                    .in_force = static_cast<std::size_t>(record.in_force),
                    .noise = {},
                    .coins = record.coins};
  for (int i = 0; i < record.budgets; i++) {
    const Budget& budget = record.budget[i];
    facts.budgets.push_back(
        {Decimal::parse(budget.epsilon), Decimal::parse(budget.delta), budget.set_by});
  }
  for (int i = 0; i < record.statistics; i++) {
    facts.noise.push_back({record.steps[i], static_cast<int>(record.cells[i])});
  }
  return facts;
}

// What the record says without any computing.
void add_header(const ResultRows& rows, const Record& record) {
  add_row(rows, {"table", record.relation, "its name when it was charged"});
  add_row(rows,
          {"release",
           record.release == NULL ? record.kind : psprintf("%s %s", record.kind, record.release),
           psprintf("by mechanism %s, at %s", record.mechanism, record.at)});
  add_row(rows,
          {"charged role", record.role,
           record.granted_to == NULL ? "as owner or superuser"
                                     : psprintf("through the grant to %s", record.granted_to)});
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_explain_charge(PG_FUNCTION_ARGS) {
  const int64 id = PG_GETARG_INT64(0);
  require_seen(id);
  const Record record = read_record(id);
  if (!record.found || record.budgets == 0) {
    elog(ERROR, "charge " INT64_FORMAT " has no table or budget on record", id);
  }
  const ResultRows rows = begin_rows(fcinfo);
  add_header(rows, record);
  guard([&] {
    for (const AccountLine& line : account_of(facts_of(record)).lines) {
      const char *item = line.item.c_str(), *value = line.value.c_str(),
                 *meaning = line.meaning.c_str();
      postgres([&] { add_row(rows, {item, value, meaning}); });
    }
  });
  return (Datum)0;
}
