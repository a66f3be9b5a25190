// dpmix.explain_charge: a charge's record, read as the catalog's owner for a caller who sees it in
// dpmix.ledger, and computed again by core.
#include "core/report/charge_account.hpp"

#include <algorithm>

#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/sums.hpp"
#include "pg/report/blocks.hpp"
#include "pg/report/seen_charge.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_explain_charge);
}

namespace dpmix::pg {
namespace {

// SQL: each statistic in each grouping set, as far as the record lists them.
#define DPMIX_ANSWERS                                                                      \
  "FROM jsonb_array_elements(g.parameters -> 'statistics') WITH ORDINALITY AS x(s, i), "   \
  "     jsonb_array_elements(g.parameters -> 'grouping_sets') WITH ORDINALITY AS y(c, j) " \
  "ORDER BY i, j"

Statement recorded = {
    "SELECT coalesce(p.account, p.id), g.relation, g.role, g.granted_to, g.at, g.kind, "
    "g.mechanism, "
    "       g.epsilon, g.delta, g.cost, g.cost_delta, g.release, "
    "       p.accountant, coalesce(p.renyi_order, 0), p.adjacency, "
    "       n.cells, n.steps, "
    "       coalesce((g.parameters ->> 'coins')::int4, 0), "
    "       coalesce((g.parameters ->> 'difference_mu')::float8, 0), q.name, g.table_id, "
    "       ARRAY(SELECT unnest(ARRAY[lower(r), upper(r) - 1])::text FROM unnest(g.blocks) r), "
    "       CASE g.kind WHEN 'tree' THEN ARRAY[coalesce((g.parameters ->> 'columns')::float8, 0), "
    "            coalesce((g.parameters ->> 'binned')::float8, 0), "
    "            coalesce((g.parameters ->> 'fine_levels')::float8, 0)] ELSE '{0,0,0}' END, "
    "       ARRAY(SELECT format('%s %s', s ->> 'statistic', c ->> 'groups') " DPMIX_ANSWERS
    "), "
    "       ARRAY(SELECT (s ->> 'scale')::float8 * (c ->> 'noise')::float8 " DPMIX_ANSWERS
    "), "
    "       coalesce(g.parameters ->> 'found_by' = 'threshold', false), "
    "       coalesce((g.parameters ->> 'classes')::int4, 2), n.together "
    "FROM dpmix.charge g JOIN dpmix.protected_table p ON p.id = g.table_id "
    "     LEFT JOIN dpmix.population q ON q.id = p.account, "
    "     LATERAL (SELECT CASE WHEN bool_and(s ?& ARRAY['steps', 'cells']) THEN "
    "                       array_agg((s ->> 'steps')::float8 ORDER BY n) END AS steps, "
    "                     array_agg((s ->> 'cells')::float8 ORDER BY n) AS cells, "
    "                     array_agg(coalesce((s ->> 'together')::float8, 0) ORDER BY n) AS "
    "together "
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
      *adjacency, *population;  // NULL: the table has an account of its own
  Sums charge;
  AccountSums before;
  double order;
  int statistics;  // 0: not on record
  double *steps, *cells, *together;
  int coins;
  bool threshold;
  int classes;
  double difference_mu;
  double* tree;  // columns, binned, fine_levels
  int answers;   // answers of grouping sets
  char** answer;
  double* deviation;
  int budgets, in_force;
  Budget* budget;
  int64 id, account;
  DeclaredBlocks blocks;
  int ranges;  // ranges of blocks that the charge names; 0: the table as a whole
  BlockRange* range;
};

void read_budgets(int64 account, int64 charge, Record* record) {
  record->budgets = (int)read_rows(budgets, {account, charge});
  record->budget = (Budget*)SPI_palloc(sizeof(Budget) * Max(record->budgets, 1));
  for (int i = 0; i < record->budgets; i++) {
    const ResultRow row = {(uint64)i};
    record->budget[i] = {row.text(1), row.text(2), row.text(3)};
    if (row.truth(4)) record->in_force = i;
  }
}

void read_ranges(const ResultRow& row, Record* record) {
  char** ends = row.texts(22, &record->ranges);
  record->ranges /= 2;
  record->range = (BlockRange*)SPI_palloc(sizeof(BlockRange) * (record->ranges + 1));
  for (int i = 0; i < record->ranges; i++) {
    record->range[i] = {pg_strtoint64(ends[2 * i]), pg_strtoint64(ends[2 * i + 1])};
  }
}

Record read_record(int64 id) {
  Record record = {};
  as_catalog_owner([&] {
    if (read_rows(recorded, {id}) != 1) return;
    const ResultRow row;
    const int64 account = row.int8(1);
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
    if (record.statistics > 0) {
      record.cells = row.float8s(16, &record.statistics);
      record.together = row.float8s(28, &record.statistics);
    }
    record.coins = row.int4(18);
    record.difference_mu = row.float8(19);
    record.population = row.text(20);
    int numbers;
    record.tree = row.float8s(23, &numbers);
    record.answer = row.texts(24, &record.answers);
    record.deviation = row.float8s(25, &record.answers);
    record.threshold = row.truth(26);
    record.classes = row.int4(27);
    record.id = id;
    record.account = account;
    const int64 table = row.int8(21);
    read_ranges(row, &record);
    if (record.ranges > 0) {
      record.blocks = read_declared_blocks(table);
    } else {
      record.before = sums_before(account, id);
    }
    read_budgets(account, id, &record);
  });
  return record;
}

ChargeFacts facts_of(const Record& record, Spending before, std::int64_t charges) {
  ChargeFacts facts{.mechanism = record.mechanism,
                    .accounting = {accountant_of(record.accountant).value(), record.order},
                    .adjacency = adjacency_of(record.adjacency).value(),
                    .charge = spending_of(record.charge),
                    .before = std::move(before),
                    .charges_before = charges,
                    .budgets = {},
                    .in_force = static_cast<std::size_t>(record.in_force),
                    .noise = {},
                    .coins = record.coins,
                    .threshold = record.threshold,
                    .difference_mu = record.difference_mu,
                    .tree = {static_cast<int>(record.tree[0]), static_cast<int>(record.tree[1]),
                             static_cast<int>(record.tree[2])},
                    .classes = record.classes};
  for (int i = 0; i < record.budgets; i++) {
    const Budget& budget = record.budget[i];
    facts.budgets.push_back(
        {Decimal::parse(budget.epsilon), Decimal::parse(budget.delta), budget.set_by});
  }
  for (int i = 0; i < record.statistics; i++) {
    facts.noise.push_back(
        {record.steps[i], static_cast<int>(record.cells[i]), record.together[i] > 0});
  }
  return facts;
}

// What the fullest of the blocks that a charge names was charged before.
BlockSegment fullest_before(const Record& record) {
  const Budget& budget = record.budget[record.in_force];
  const BlockFilter filter(Filter(accountant_of(record.accountant).value(),
                                  Decimal::parse(budget.epsilon), Decimal::parse(budget.delta),
                                  record.order));
  BlockShares shares{{record.range[0], {}}};
  for (const BlockSegment& run : charged_blocks(record.account, kPaidBlocks, record.id - 1)) {
    for (int i = 0; i < record.ranges; i++) {
      const BlockRange both{std::max(run.blocks.first, record.range[i].first),
                            std::min(run.blocks.last, record.range[i].last)};
      const double share = filter.share_spent(run.sums);
      if (both.first > both.last || share <= shares.most) continue;
      shares = {{both, run.sums}, share};
    }
  }
  return shares.fullest;
}

ChargeFacts facts_of(const Record& record) {
  if (record.ranges > 0) {
    const BlockSegment fullest = fullest_before(record);
    const char* named = NULL;
    postgres([&] { named = named_blocks(record.blocks, fullest.blocks); });
    ChargeFacts facts = facts_of(record, fullest.sums.decimals(), fullest.sums.charges);
    facts.payer = named;
    return facts;
  }
  return facts_of(record, spending_of(record.before.sums), record.before.charges);
}

// What the record says without any computing.
void add_header(const ResultRows& rows, const Record& record) {
  add_row(rows, {"table", record.relation, "its name when it was charged"});
  if (record.population != NULL) {
    add_row(rows,
            {"population", record.population,
             "whose tables share a budget; a charge made before its table joined counts in it "
             "as if the table had been there"});
  }
  add_row(rows,
          {"release",
           record.release == NULL ? record.kind : psprintf("%s %s", record.kind, record.release),
           psprintf("by mechanism %s, at %s", record.mechanism, record.at)});
  for (int i = 0; i < record.ranges; i++) {
    add_row(rows, {i == 0 ? "paid by" : "and by", named_blocks(record.blocks, record.range[i]),
                   "each of them all of it; values are those of the block column, in UTC, the end "
                   "excluded"});
  }
  add_row(rows,
          {"charged role", record.role,
           record.granted_to == NULL ? "as owner or superuser"
                                     : psprintf("through the grant to %s", record.granted_to)});
}

// The noise of answers that agree with each other.
void add_answers(const ResultRows& rows, const Record& record) {
  for (int i = 0; i < record.answers; i++) {
    add_row(rows, {"noise", psprintf("%.6g", record.deviation[i]),
                   psprintf("standard deviation of %s", record.answer[i])});
  }
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
  add_answers(rows, record);
  guard([&] {
    for (const AccountLine& line : account_of(facts_of(record)).lines) {
      const char *item = line.item.c_str(), *value = line.value.c_str(),
                 *meaning = line.meaning.c_str();
      postgres([&] { add_row(rows, {item, value, meaning}); });
    }
  });
  return (Datum)0;
}
