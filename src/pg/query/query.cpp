// dpmix.query: validate, price, charge, scan, add noise, post-process, return.
#include <vector>

#include "core/base/refuse_parameter.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/border/fault.hpp"
#include "pg/query/answer/group_noise.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/query/query.hpp"
#include "pg/query/statistics/quantiles.hpp"
#include "pg/query/record.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/check/validate.hpp"
#include "pg/query/statistics/worker_worth.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
PG_FUNCTION_INFO_V1(dpmix_query);
PG_FUNCTION_INFO_V1(dpmix_outside_query);
}

namespace dpmix::pg {
namespace {

struct QueryCall {  // what the caller passed
  const char* text;
  double epsilon, delta;
  bool automatic;
  Family mechanism;  // unless automatic
  ArrayType* params;
  bool discover;
  bool limits_groups;
  int max_groups;
};

QueryCall read_call(FunctionCallInfo fcinfo) {
  static const char* const names[] = {"query", "epsilon", "delta", "mechanism", "params", "keys"};
  for (int i = 0; i < (int)lengthof(names); i++) {
    if (PG_ARGISNULL(i)) {
      refuse_argument(psprintf("%s must not be NULL", names[i]), "NULL was passed.",
                      "Leave an optional argument out to get its default.");
    }
  }
  QueryCall call;
  call.text = text_to_cstring(PG_GETARG_TEXT_PP(0));
  call.epsilon = PG_GETARG_FLOAT8(1);
  call.delta = PG_GETARG_FLOAT8(2);
  call.params = PG_GETARG_ARRAYTYPE_P(4);
  const char* mechanism = text_to_cstring(PG_GETARG_TEXT_PP(3));
  call.automatic = strcmp(mechanism, "auto") == 0;
  if (!call.automatic) {
    call.mechanism = guard([&] {
      if (const std::optional<Family> family = family_of(mechanism)) return *family;
      refuse_parameter("unknown mechanism", std::string("\"") + mechanism + "\" was asked for.",
                       "There are " + family_names() + " and auto.");
    });
  }
  const char* keys = text_to_cstring(PG_GETARG_TEXT_PP(5));
  call.discover = strcmp(keys, "discover") == 0;
  if (!call.discover && strcmp(keys, "declared") != 0) {
    refuse_argument("unknown kind of group keys", psprintf("keys is \"%s\".", keys),
                    "There are declared, of which every group comes back, and discover.");
  }
  call.limits_groups = !PG_ARGISNULL(6);
  if (call.limits_groups) call.max_groups = PG_GETARG_INT32(6);
  return call;
}

void refuse_label(const ProtectedTable* table) {
  if (table->adjacency != Adjacency::label) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("table %s protects a label only and takes no queries", table->name),
                  errdetail("Its adjacency is label: every other column is public."),
                  errhint("To query it, protect it with adjacency add_remove or replace.")));
}

std::span<const StatisticShift> shifts_of(const PricedQuery* priced) {
  return {priced->shift, static_cast<std::size_t>(priced->statistics->count)};
}

void price(const QueryCall& call, bool explain, PricedQuery* priced) {
  const QueryStatistics* statistics = priced->statistics;
  priced->noise = (StatisticNoise*)palloc0(sizeof(StatisticNoise) * statistics->count);
  const Size errors = explain ? kFamilies.size() * statistics->count : 0;
  priced->candidates.error = {(double*)palloc(sizeof(double) * errors), errors};
  guard([&] {
    const std::span<const StatisticShift> shifts = shifts_of(priced);
    priced->request = {
        call.epsilon, call.delta, call.automatic ? std::nullopt : std::optional(call.mechanism),
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

Spending charge_at(const Filter& filter, double epsilon, const void* query) {
  const PricedQuery* priced = static_cast<const PricedQuery*>(query);
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
      query_statistics(&checked.scope, checked.shape, groups_at_once(checked.groups));
  return checked;
}

PricedQuery prepare(FunctionCallInfo fcinfo, bool explain) {
  const QueryCall call = read_call(fcinfo);
  PricedQuery priced = {};
  priced.text = call.text;
  const CheckedQuery checked = check_query(call.text, call.params, call.discover);
  priced.scope = checked.scope;
  priced.table = priced.scope.sources->first;
  priced.shape = checked.shape;
  priced.groups = checked.groups;
  priced.statistics = checked.statistics;
  priced.unit =
      unit_contribution(priced.shape, priced.groups, call.limits_groups ? &call.max_groups : NULL);
  priced.shift = unit_shifts(priced.shape, priced.unit, priced.groups, priced.statistics);
  price(call, explain, &priced);
  price_others(&priced);
  priced.reach = end_reaches(priced.shape, priced.statistics, priced.noise);
  priced.scan = plan_scan(
      statistics_query(&priced.scope, priced.shape, priced.groups, priced.statistics, priced.unit),
      priced.table->owner, have_several_owners(priced.scope.sources),
      are_workers_worth(priced.scope.sources, priced.groups, priced.statistics));
  return priced;
}

Tuplestorestate* begin_result(FunctionCallInfo fcinfo, TupleDesc* columns, const char* function) {
  ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  if (result == NULL || !IsA(result, ReturnSetInfo) ||
      (result->allowedModes & SFRM_Materialize) == 0 || result->expectedDesc == NULL) {
    refuse_argument("the query's columns are not stated", "The call stands outside of FROM.",
                    psprintf("Write SELECT * FROM dpmix.%s(...) AS t(name type, ...).", function));
  }
  MemoryContext old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  *columns = CreateTupleDescCopy(result->expectedDesc);
  result->returnMode = SFRM_Materialize;
  result->setDesc = *columns;
  result->setResult =
      tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
  MemoryContextSwitchTo(old);
  return result->setResult;
}

namespace {

struct Release {
  const PricedQuery* priced;
  ExactGroups* groups;
  ReleasedRows* rows;
};

// Of each group: its keys, then its released values. Post-processing begins where noise is added.
void release_rows(void* arg) {
  const auto [priced, groups, rows] = *static_cast<const Release*>(arg);
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
  ChargeRequest request = {};
  request.table = price->table;
  request.kind = "query";
  request.mechanism = mechanism_text(price->plan.family);
  request.epsilon = price->plan.epsilon;
  request.delta = price->plan.delta;
  request.own = price->plan.has_own ? &price->plan.own : NULL;
  request.parameters = query_record(priced->text, priced->groups, priced->statistics, priced->shift,
                                    priced->noise, price->plan.search);
  const Repricing repricing = {priced->request.epsilon, priced->request.delta, charge_at, priced};
  request.repricing = &repricing;
  (void)charge(request);
}

struct RecordResult {
  Tuplestorestate* rows;
  TupleDesc columns;
};

void put_record(const Datum* values, const bool* nulls, void* arg) {
  const RecordResult* result = (const RecordResult*)arg;
  tuplestore_putvalues(result->rows, result->columns, (Datum*)values, (bool*)nulls);
}

bool fits(const TablePrice* price) {
  return outlook_of(price->table, price->plan.epsilon, price->plan.delta,
                    price->plan.has_own ? &price->plan.own : NULL)
             .calls > 0;
}

// Every protected table, for the same release. First those that will refuse it, so that a refusal
// that can be foreseen leaves all budgets as they are.
void charge_for(const PricedQuery* priced) {
  bool* first = (bool*)palloc0(sizeof(bool) * priced->prices);
  for (int i = 0; priced->prices > 1 && i < priced->prices; i++) {
    first[i] = !fits(&priced->price[i]);
    if (first[i]) charge_table(priced, &priced->price[i]);
  }
  for (int i = 0; i < priced->prices; i++) {
    if (!first[i]) charge_table(priced, &priced->price[i]);
  }
}

}  // namespace

void answer_query(const PricedQuery* priced, OutputReceiver receiver) {
  ExactGroups* groups = exact_groups(priced->groups, priced->statistics, priced->plan.search);
  ReleasedRows* rows = released_rows(priced->shape, receiver);

  charge_for(priced);                             // committed, whatever happens from here on
  run_scan(priced->scan, receive_group, groups);  // exact integers, of groups that come back
  Release release = {priced, groups, rows};
  run_silently(release_rows, &release);  // with noise: one group after the other
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_query(PG_FUNCTION_ARGS) {
  RecordResult result;
  result.rows = begin_result(fcinfo, &result.columns);
  const PricedQuery priced = prepare(fcinfo, false);  // refuses what it may; free
  check_columns(priced.shape->released, result.columns);
  answer_query(&priced, {put_record, &result});
  return (Datum)0;
}

// Every function of the dp_* aggregates, dp_low and dp_high: they mean something only inside
// dpmix.query, which reads their names and never runs them.
Datum dpmix_outside_query(PG_FUNCTION_ARGS) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("dp_* functions stand only in the text of dpmix.query"),
                  errdetail("One was called in an ordinary statement."),
                  errhint("Write SELECT * FROM dpmix.query($$SELECT dp_count(*) FROM ...$$, "
                          "epsilon => 0.5) AS t(count bigint).")));
}
}
