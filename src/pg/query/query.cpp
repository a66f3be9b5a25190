// dpmix.query: validate, price, charge, scan, add noise, post-process, return.
#include "pg/query/query.hpp"

#include <vector>

#include "pg/border/arguments.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/answer/group_noise.hpp"
#include "pg/query/check/validate.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/record.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/statistics/statistics.hpp"
#include "pg/query/statistics/worker_worth.hpp"

extern "C" {
#include "catalog/pg_type.h"
PG_FUNCTION_INFO_V1(dpmix_query);
PG_FUNCTION_INFO_V1(dpmix_outside_query);
}

namespace dpmix::pg {

bool discovers(const char* keys) {
  const bool discover = strcmp(keys, "discover") == 0;
  if (!discover && strcmp(keys, "declared") != 0) {
    refuse_word("keys", keys, "declared, of which every group comes back, or discover");
  }
  return discover;
}

QueryCall query_call(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 6);
  return {.text = text_argument(fcinfo, 0),
          .epsilon = PG_GETARG_FLOAT8(1),
          .delta = PG_GETARG_FLOAT8(2),
          .mechanism = mechanism_argument(fcinfo, 3),
          .params = PG_GETARG_ARRAYTYPE_P(4),
          .discover = discovers(text_argument(fcinfo, 5)),
          .max_groups = int4_argument(fcinfo, 6)};
}

namespace {

void refuse_label(const ProtectedTable* table) {
  if (table->adjacency != Adjacency::label) return;
  refuse(ErrorCode::query_not_allowed,
         psprintf("table %s protects a label only and takes no queries", table->name),
         "Its adjacency is label: every other column is public.",
         "To query it, protect it with adjacency add_remove or replace.");
}

std::span<const StatisticShift> shifts_of(const PricedQuery* priced) {
  return {priced->shift, static_cast<std::size_t>(priced->statistics->count)};
}

void plan_noise(const QueryCall& call, bool explain, PricedQuery* priced) {
  const QueryStatistics* statistics = priced->statistics;
  priced->noise = (StatisticNoise*)palloc0(sizeof(StatisticNoise) * statistics->count);
  const Size errors = explain ? kFamilies.size() * statistics->count : 0;
  priced->candidates.error = {(double*)palloc(sizeof(double) * errors), errors};
  guard([&] {
    const std::span<const StatisticShift> shifts = shifts_of(priced);
    priced->request = {
        call.epsilon, call.delta, call.mechanism,
        call.discover ? changed_coins(priced->shape->joined.adjacency, priced->unit.groups) : 0};
    priced->plan = plan_query(priced->request, filter_of(priced->table), shifts,
                              {priced->noise, shifts.size()}, cached_on_lattice,
                              explain ? &priced->candidates : nullptr);
  });
}

// The price of the same noise on each table but the first, which decided on the family: accountants
// differ in what a release costs, never in the noise of a family.
void price_others(PricedQuery* priced) {
  const QuerySources* sources = priced->scope.sources;
  priced->price = (TablePrice*)palloc0(sizeof(TablePrice) * sources->count);
  for (int i = 0; i < sources->count; i++) {
    const ProtectedTable* table = sources->source[i].table;
    if (table == NULL) continue;
    TablePrice* price = &priced->price[priced->prices++];
    *price = {table, priced->plan};
    if (table == priced->table) continue;
    guard([&] {
      QueryRequest request = priced->request;
      request.mechanism = priced->plan.family;
      const std::span<const StatisticShift> shifts = shifts_of(priced);
      std::vector<StatisticNoise> noise(shifts.size());
      price->plan = plan_query(request, filter_of(table), shifts, noise, cached_on_lattice);
    });
  }
}

Spending charge_at(const PricedQuery* priced, const Filter& filter, double epsilon) {
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  QueryRequest request = priced->request;
  request.epsilon = epsilon;
  if (priced->prices > 1) {  // the first table decides on the family
    std::vector<StatisticNoise> noise(shifts.size());
    request.mechanism =
        plan_query(request, filter_of(priced->table), shifts, noise, cached_on_lattice).family;
  }
  return price_query(request, filter, shifts, cached_on_lattice);
}

ChargeRequest request_of(const TablePrice& price) {
  return {.table = price.table,
          .kind = "query",
          .mechanism = name(price.plan.family).data(),
          .epsilon = price.plan.epsilon,
          .delta = price.plan.delta,
          .own = price.plan.has_own ? &price.plan.own : NULL,
          .parameters = NULL};
}

}  // namespace

CheckedQuery check_query(const char* text, ArrayType* params, bool discover) {
  CheckedQuery checked = {};
  const Query* query = analyse_query_text(text, params);
  checked.scope = {query, open_sources(query), (double*)palloc0(sizeof(double))};
  checked.shape = validate(&checked.scope);
  refuse_label(checked.scope.sources->first);
  require_distributable(&checked.scope, checked.shape);
  checked.groups = discover ? discovered_groups(&checked.scope, checked.shape)
                            : declared_groups(&checked.scope, checked.shape);
  checked.statistics =
      list_statistics(&checked.scope, checked.shape, groups_at_once(checked.groups));
  return checked;
}

PricedQuery priced_query(const QueryCall& call, bool explain) {
  PricedQuery priced = {};
  static_cast<CheckedQuery&>(priced) = check_query(call.text, call.params, call.discover);
  require_memory(priced.groups, priced.statistics);
  priced.text = call.text;
  priced.table = priced.scope.sources->first;
  priced.unit = unit_contribution(priced.shape, priced.groups, call.max_groups);
  priced.shift = statistic_shifts(priced.shape, priced.unit, priced.groups, priced.statistics);
  plan_noise(call, explain, &priced);
  price_others(&priced);
  priced.reach = end_reaches(priced.shape, priced.statistics, priced.noise);
  Query* tree = scan_tree(&priced.scope, priced.shape, priced.groups, priced.statistics,
                          priced.unit, &priced.units);
  priced.scan = plan_scan(tree, priced.table->owner, public_tables(priced.scope.sources),
                          are_workers_worth(priced.scope.sources, priced.groups, priced.statistics),
                          priced.units != NULL ? INTERNALOID : InvalidOid);
  return priced;
}

Outlook nearest_outlook(const PricedQuery* priced) {
  Outlook nearest = {};
  for (int i = 0; i < priced->prices; i++) {
    const Outlook outlook = outlook_of(request_of(priced->price[i]));
    if (i == 0 || outlook.calls < nearest.calls) nearest = outlook;
  }
  return nearest;
}

ResultRows begin_answer(FunctionCallInfo fcinfo, const char* function) {
  const ReturnSetInfo* result = (const ReturnSetInfo*)fcinfo->resultinfo;
  if (result == NULL || !IsA(result, ReturnSetInfo) ||
      (result->allowedModes & SFRM_Materialize) == 0 || result->expectedDesc == NULL) {
    refuse_argument("the query's columns are not stated", "The call stands outside of FROM.",
                    psprintf("Write SELECT * FROM dpmix.%s(...) AS t(name type, ...).", function));
  }
  return begin_rows(fcinfo, true);
}

namespace {

// Of each group: its keys, then its released values. Post-processing begins where noise is added.
void put_noisy_rows(const PricedQuery* priced, ExactGroups* groups, ReleasedRows* rows) {
  const QueryShape* shape = priced->shape;
  end_groups(groups);
  DPMIX_FAULT("query.scanned");
  GroupNoise* noise = group_noise(priced->statistics, priced->noise);
  Datum* values = (Datum*)palloc(sizeof(Datum) * (shape->keys + shape->values));
  bool* nulls = (bool*)palloc0(sizeof(bool) * (shape->keys + shape->values));
  MemoryContext row =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix released row", ALLOCSET_DEFAULT_SIZES);
  while (next_group(groups)) {
    add_noise(noise, group_cells(groups));
    DPMIX_FAULT("query.noised");
    MemoryContextReset(row);
    MemoryContext old = MemoryContextSwitchTo(row);
    for (int k = 0; k < shape->keys; k++) values[k] = group_key(groups, k);
    for (int i = 0; i < shape->values; i++) {
      values[shape->keys + i] = released_value(shape, priced->statistics, priced->noise,
                                               priced->reach, i, group_cells(groups));
    }
    MemoryContextSwitchTo(old);
    put_released_row(rows, values, nulls);
  }
  end_released_rows(rows);
}

void charge_table(const PricedQuery* priced, const TablePrice* price) {
  ChargeRequest request = request_of(*price);
  request.parameters = query_record(priced->text, priced->groups, priced->statistics, priced->shift,
                                    priced->noise, price->plan.search);
  const auto again = [priced](const Filter& filter, double epsilon) {
    return charge_at(priced, filter, epsilon);
  };
  const Repricing repricing = {priced->request.epsilon, priced->request.delta, again};
  request.repricing = &repricing;
  (void)charge(request);
}

// Every protected table, for the same release. First those that will refuse it, so that a refusal
// that can be foreseen leaves all budgets as they are.
void charge_for(const PricedQuery* priced) {
  bool* first = (bool*)palloc0(sizeof(bool) * priced->prices);
  for (int i = 0; priced->prices > 1 && i < priced->prices; i++) {
    first[i] = outlook_of(request_of(priced->price[i])).calls == 0;
    if (first[i]) charge_table(priced, &priced->price[i]);
  }
  for (int i = 0; i < priced->prices; i++) {
    if (!first[i]) charge_table(priced, &priced->price[i]);
  }
}

}  // namespace

void answer_query(const PricedQuery* priced, const RowReceiver& receive) {
  ExactGroups* groups = exact_groups(priced->groups, priced->statistics, priced->plan.search);
  ReleasedRows* rows = released_rows(priced->shape, receive);
  charge_for(priced);  // committed, whatever happens from here on
  // Exact integers, of groups that come back; then noise, one group after the other.
  run_scan(
      priced->scan,
      [&](const Datum* values, const bool* nulls) { receive_group(groups, values, nulls); },
      PointerGetDatum(priced->units),
      [&] {
        if (priced->units != NULL && shares_of(priced->units) == 1) count_share(priced->units, 0);
      });
  run_silently([&] { put_noisy_rows(priced, groups, rows); });
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_query(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_answer(fcinfo);
  if (!in_release_process()) return release_rows(fcinfo, rows);
  const PricedQuery priced = priced_query(query_call(fcinfo));  // refuses what it may; free
  check_columns(priced.shape->released, rows.type);
  answer_query(&priced, [&](const Datum* values, const bool* nulls) {
    tuplestore_putvalues(rows.store, rows.type, (Datum*)values, (bool*)nulls);
  });
  return (Datum)0;
}

// Every function of the dp_* aggregates, dp_low and dp_high: they mean something only inside
// dpmix.query, which reads their names and never runs them.
Datum dpmix_outside_query(PG_FUNCTION_ARGS) {
  refuse(ErrorCode::query_not_allowed, "dp_* functions stand only in the text of dpmix.query",
         "One was called in an ordinary statement.",
         "Write SELECT * FROM dpmix.query($$SELECT dp_count(*) FROM ...$$, epsilon => 0.5) AS "
         "t(count bigint).");
}
}
