// What dpmix.suggest_unit_bounds() looks at: how many privacy units have how many rows, with noise.
//
// Each unit is one value, in one bin, whatever its rows are: none is left out by max_rows_per_unit,
// which samples rows and not units. The order of a release (docs/architecture.md) is
// dpmix_unit_histogram() at the end. Proof: docs/proofs/suggestions.md.
#include <algorithm>
#include <vector>

#include "core/noise/lattice_moments.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/bound_choice.hpp"
#include "core/query/contribution.hpp"
#include "core/query/plan.hpp"
#include "core/random/noisy.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/read/facades.hpp"
#include "pg/query/record.hpp"
#include "pg/scan/state_of_scan.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_unit_histogram);
PG_FUNCTION_INFO_V1(dpmix_chosen_unit_rows);
PG_FUNCTION_INFO_V1(dpmix_asked_table);
}

namespace dpmix::pg {
namespace {

struct UnitBins {
  const double* edge;
  int count;  // of bins; the first one has no unit
};

struct UnitHistogram {
  const ProtectedTable* table;
  BlocksRead blocks;
  UnitBins bins;
  StatisticShift shift;
  QueryRequest request;
  QueryPlan plan;
  NoiseLaw law;
  double deviation;
  SampledUnits* units;  // NULL: they are counted on shards
  SilentScan* on_shards;
};

UnitBins bins_of_units() {
  UnitBins bins = {};
  double* copy = NULL;
  guard([&] {
    const std::vector<double> edges = unit_bins();
    const std::size_t bytes = edges.size() * sizeof(double);
    postgres([&] { copy = (double*)palloc(bytes); });
    std::copy(edges.begin(), edges.end(), copy);
    bins = {copy, static_cast<int>(edges.size()) - 1};
  });
  return bins;
}

// A table of one row a unit has nothing to bound: so its definition says, to everybody.
void require_units(const ProtectedTable* table) {
  if (!table->samples_units || table->adjacency == Adjacency::label) {
    refuse_argument(psprintf("no number of rows can be suggested for the units of %s", table->name),
                    table->unit == InvalidAttrNumber
                        ? "Each of its rows is a privacy unit of its own."
                        : "Each of its privacy units has one row.",
                    "max_rows_per_unit matters for a table that is protected with a privacy_unit "
                    "of several rows.");
  }
  if (is_distributed(table->relation)) require_sampled_units(table);
}

// Where the unit's rows of one block come or go its rows of other blocks stay: it changes its bin.
Adjacency adjacency_of_units(const ProtectedTable* table) {
  return has_blocks(table->blocks) ? Adjacency::replace : table->adjacency;
}

// All rows of a unit lie on one shard, where they are counted.
SilentScan* plan_on_shards(const ProtectedTable* table) {
  const PlacedTable placed = {table->relation, table->unit};
  require_units_together(&placed, 1);
  const char* unit = quote_identifier(get_attname(table->relation, table->unit, false));
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "SELECT ");
  begin_statistic(&sql, "edge_counts", true);
  appendStringInfoString(&sql, "u.n::pg_catalog.float8, $1");
  end_statistic(&sql, "edge_counts", true);
  appendStringInfo(&sql,
                   " FROM (SELECT pg_catalog.count(*) OVER (PARTITION BY r.%s) AS n, "
                   "pg_catalog.row_number() OVER (PARTITION BY r.%s) AS k FROM %s AS r) AS u "
                   "WHERE u.k OPERATOR(pg_catalog.=) 1",
                   unit, unit, table->name);
  return plan_scan(sql.data, table->relation, table->owner, FLOAT8ARRAYOID);
}

// Everything that is known before a row is read. Free.
UnitHistogram planned(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 3);
  UnitHistogram histogram = {};
  const ProtectedTable* table = open_protected_units(table_of_facade(PG_GETARG_OID(0)));
  require_units(table);
  histogram.table = table;
  histogram.blocks = blocks_argument(fcinfo, 3, table);
  histogram.bins = bins_of_units();
  histogram.request = {PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), std::nullopt};
  histogram.request.cap = cap_of(table);
  guard([&] {
    StatisticNoise noise;
    histogram.shift = shift_of(kCountLattice, adjacency_of_units(table), {1, 1, 1},
                               {1, histogram.bins.count - 1});
    histogram.plan = plan_query(histogram.request, filter_of(table), {&histogram.shift, 1},
                                {&noise, 1}, cached_on_lattice);
    histogram.law = noise.law;
    histogram.deviation = lattice_moments(noise.law, 1).stddev;
  });
  if (has_shards(table->relation)) {
    histogram.on_shards = plan_on_shards(table);
  } else {
    histogram.units = units_of_rows(table, scan_condition(table, histogram.blocks));
  }
  return histogram;
}

void charge_for(const UnitHistogram& histogram) {
  const QueryPlan& plan = histogram.plan;
  const auto charge_at = [&](const Filter& filter, double epsilon) {
    QueryRequest request = histogram.request;
    request.epsilon = epsilon;
    return price_query(request, filter, {&histogram.shift, 1}, cached_on_lattice);
  };
  const Repricing repricing = {histogram.request.epsilon, histogram.request.delta, charge_at};
  ChargeRequest request = {.table = histogram.table,
                           .kind = "query",
                           .mechanism = name(plan.family).data(),
                           .epsilon = plan.epsilon,
                           .delta = plan.delta,
                           .own = plan.has_own ? &plan.own : NULL,
                           .parameters = NULL,
                           .blocks = histogram.blocks.range,
                           .block_count = histogram.blocks.count};
  request.parameters = psprintf(
      "{\"query\": \"dpmix.suggest_unit_bounds\", \"groups\": 1, \"statistics\": [%s], "
      "\"statistics_left\": 0}",
      recorded_statistic("units by their number of rows", 1, histogram.law,
                         histogram.shift.groups));
  request.repricing = &repricing;
  (void)charge(request);
}

void count_on_shards(const UnitHistogram& histogram, int64* counts) {
  const Datum state = state_of_scan(histogram.on_shards, CurrentMemoryContext, histogram.bins.edge,
                                    histogram.bins.count + 1);
  const CountState* found = read_count_state(state);  // of no row it has no bins
  for (int i = 0; i < Min(found->bins, histogram.bins.count); i++) counts[i] = found->counts[i];
}

// Every unit in its bin. All shares are counted, whatever is in them.
int64* counted(const UnitHistogram& histogram) {
  int64* counts = (int64*)palloc0(sizeof(int64) * histogram.bins.count);
  if (histogram.on_shards != NULL) {
    count_on_shards(histogram, counts);
    return counts;
  }
  const double *first = histogram.bins.edge, *end = first + histogram.bins.count;
  for (int share = 0; share < shares_of(histogram.units); share++) {
    count_units(histogram.units, share, [&](uint64 rows) {
      counts[std::upper_bound(first, end, (double)rows) - first - 1]++;
    });
  }
  return counts;
}

double* with_noise(const UnitHistogram& histogram, const int64* counts) {
  double* noisy = (double*)palloc0(sizeof(double) * histogram.bins.count);
  guard_with_random([&](RandomStream& random) {
    const NoiseSampler noise(histogram.law);
    for (int i = 1; i < histogram.bins.count; i++) {
      noisy[i] = static_cast<double>(dpmix::noisy(random, noise, counts[i]));
    }
  });
  return noisy;
}

std::span<const double> numbers(ArrayType* array) {
  return {(const double*)ARR_DATA_PTR(array),
          static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)))};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_unit_histogram(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  if (!in_release_process()) return release_rows(fcinfo, rows);
  const UnitHistogram histogram = planned(fcinfo);  // refuses what it may; free
  charge_for(histogram);
  const double* noisy = with_noise(histogram, counted(histogram));
  add_row(rows, {float8_array(noisy, histogram.bins.count), histogram.deviation,
                 histogram.table->rows_of_unit});
  return (Datum)0;
}

// Post-processing.
Datum dpmix_chosen_unit_rows(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 3);
  ArrayType* counts = PG_GETARG_ARRAYTYPE_P(0);
  const UnitBins bins = bins_of_units();
  if (array_contains_nulls(counts) ||
      ArrayGetNItems(ARR_NDIM(counts), ARR_DIMS(counts)) != bins.count) {
    refuse_argument("the bins do not agree", psprintf("There are %d counts.", bins.count),
                    "Pass what dpmix_internal.unit_histogram() returns.");
  }
  const NoisyBins noisy = {{bins.edge, static_cast<std::size_t>(bins.count) + 1},
                           numbers(counts),
                           PG_GETARG_FLOAT8(1),
                           true};
  const double row_noise = PG_GETARG_FLOAT8(2);
  UnitBound bound = {};
  guard([&] { bound = choose_unit_rows(noisy, row_noise).value_or(UnitBound{}); });
  const bool found = bound.rows > 0;
  return row_datum(fcinfo, {value_if(found, bound.rows),
                            value_if(found, bound.units_above / Max(bound.units, 1.)),
                            value_if(found, bound.rows_lost / Max(bound.rows_in_all, 1.))});
}

Datum dpmix_asked_table(PG_FUNCTION_ARGS) {
  PG_RETURN_OID(table_of_facade(PG_GETARG_OID(0)));
}
