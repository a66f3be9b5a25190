// A query that may be answered: read, validated, priced, its scan planned. Nothing is charged here.
#include "pg/query/query.hpp"

#include <vector>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/memory/settings.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/check/joined_rows.hpp"
#include "pg/query/check/outside_bounds.hpp"
#include "pg/query/check/rounded_moments.hpp"
#include "pg/query/check/unknown_categories.hpp"
#include "pg/query/check/validate.hpp"
#include "pg/query/layers/layered.hpp"
#include "pg/query/layers/levels.hpp"
#include "pg/query/price/asked_error.hpp"
#include "pg/query/price/drawn_quantiles.hpp"
#include "pg/query/price/noise_plan.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/recall/recall.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/shard_weighing.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/statistics/statistics.hpp"
#include "pg/query/statistics/worker_worth.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/units/held_units.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {

KeysAsked keys_named(const char* word) {
  if (strcmp(word, "auto") == 0) return KeysAsked::automatic;
  if (strcmp(word, "declared") == 0) return KeysAsked::declared;
  if (strcmp(word, "discover") == 0) return KeysAsked::discovered;
  refuse_word("keys", word, "auto, declared, of which every group comes back, or discover");
}

QueryCall query_call(FunctionCallInfo fcinfo, int max_rows) {
  require_argument(fcinfo, 0);
  require_stated(fcinfo, 1, "epsilon => 0.5, what the answers may reveal at most");
  require_arguments(fcinfo, 6);
  require_argument(fcinfo, 7);
  return {.text = text_argument(fcinfo, 0),
          .epsilon = PG_GETARG_FLOAT8(1),
          .delta = PG_GETARG_FLOAT8(2),
          .mechanism = mechanism_argument(fcinfo, 3),
          .accurate = is_accurate(text_argument(fcinfo, 3)),
          .params = PG_GETARG_ARRAYTYPE_P(4),
          .keys = keys_named(text_argument(fcinfo, 5)),
          .max_groups = int4_argument(fcinfo, 6),
          .max_rows = int4_argument(fcinfo, max_rows),
          .all_blocks = PG_GETARG_BOOL(7)};
}

namespace {

void refuse_label(const ProtectedTable* table) {
  if (table->adjacency != Adjacency::label) return;
  refuse(ErrorCode::query_not_allowed,
         psprintf("table %s protects a label only and takes no queries", table->name),
         "Its adjacency is label: every other column is public.",
         "To query it, protect it with adjacency add_remove or replace.");
}

// Rows of shards have weights, which are for Gaussian and Laplace noise alone.
bool weighs_shards(const PricedQuery* priced) {
  return priced->shape->joined.sampled && reads_shards(priced->scope.sources);
}

Family weighed_family(const QueryCall& call) {
  return call.delta > 0 ? Family::gaussian : Family::laplace;
}

// Whether rows of shards can be weighed for the noise that was chosen; groups are found by Gaussian
// noise alone.
bool suits_shards(const PricedQuery* priced) {
  const Family family = priced->plan.family;
  return priced->groups->discovered ? family == Family::gaussian : can_be_weighed(family);
}

std::optional<Family> family_over_shards(const QueryCall& call) {
  if (call.mechanism && !can_be_weighed(*call.mechanism)) {
    refuse_construct(psprintf("mechanism %s over shards where a unit may have several rows is",
                              name(*call.mechanism).data()),
                     "Rows are weighed there, for Gaussian and Laplace noise. Leave it out.");
  }
  return call.half_width && !call.mechanism ? weighed_family(call) : call.mechanism;
}

// Grouping sets are answered with Gaussian noise alone: of others the least-squares answers have no
// exact law.
std::optional<Family> family_for(const QueryCall& call, const PricedQuery* priced) {
  if (weighs_shards(priced)) return family_over_shards(call);
  if (priced->groups->cube == NULL) return call.mechanism;
  if (call.mechanism && *call.mechanism != Family::gaussian) {
    refuse_construct(psprintf("mechanism %s with GROUPING SETS, ROLLUP or CUBE is",
                              name(*call.mechanism).data()),
                     "Leave mechanism out, or ask for each grouping in a query of its own.");
  }
  if (call.delta == 0) {
    refuse_argument("GROUPING SETS, ROLLUP and CUBE need a delta", "Their noise is Gaussian.",
                    "Pass a delta such as 1e-6.");
  }
  return Family::gaussian;
}

// What finding groups needs to know of units.
UnitCount unit_count(const PricedQuery* priced, const UnitWeighing* weighing) {
  const Adjacency adjacency = priced->shape->joined.adjacency;
  const int most = priced->unit.groups, groups = priced->groups->count;
  return {most,
          changed_groups(adjacency, most),
          count_of_units(priced->shape, priced->unit, priced->statistics),
          shift_of_units(adjacency, priced->unit, groups),
          weighing == NULL ? 0 : weighing->bits,
          shift_of_units(adjacency, {1, 1, 1}, groups)};  // the norm of one row
}

QueryRequest request_for(const QueryCall& call, const PricedQuery* priced,
                         const UnitWeighing* weighing) {
  return {call.epsilon,
          call.delta,
          family_for(call, priced),
          priced->groups->discovered ? unit_count(priced, weighing) : UnitCount{},
          priced->joint,
          call.accurate,
          cap_of(priced->table)};
}

// Refuses noise too wide to be drawn, in the widest table of grouping sets.
void check_deviations(const PricedQuery* priced) {
  constexpr double kMost = 0x1p90;  // the largest deviation that noise is drawn with
  const QueryCube* cube = priced->groups->cube;
  for (int set = 0; cube != NULL && set < cube->sets->count; set++) {
    for (int i = 0; i < priced->statistics->count; i++) {
      if (priced->noise[i].law.scale * cube->stretch[set] < kMost) continue;
      refuse_argument("bounds too wide for so small an epsilon",
                      "The noise of a grouping set would be above 2^90 lattice steps.",
                      "Declare narrower bounds, or pass a larger epsilon.");
    }
  }
}

// What plan_statistics() needs and fills in.
void prepare_plan(const QueryCall& call, bool explain, PricedQuery* priced) {
  const QueryStatistics* statistics = priced->statistics;
  const auto shifts = [&](bool weighed) {
    return statistic_shifts(priced->shape, priced->unit, priced->groups, statistics, weighed);
  };
  priced->shift = shifts(true);
  const UnitWeighing* weighing = unit_weighing(priced->shape, priced->unit, priced->groups,
                                               statistics, priced->shift, Family::gaussian);
  const bool weighed = weighing != NULL;
  if (!weighed) priced->shift = shifts(false);
  priced->joint =
      joint_price(priced->shape, priced->unit, priced->groups, statistics, priced->shift, weighed);
  priced->noise = (StatisticNoise*)palloc0(sizeof(StatisticNoise) * statistics->count);
  const Size errors = explain ? kFamilies.size() * statistics->count : 0;
  priced->candidates.error = {(double*)palloc(sizeof(double) * errors), errors};
  priced->explained = explain;
  priced->request = request_for(call, priced, weighing);
  priced->request.bounded_lists = weighed ? weighing->binding : 0;
}

// Decides on weights, by the family that was chosen.
void plan_weights(PricedQuery* priced) {
  priced->weighing = unit_weighing(priced->shape, priced->unit, priced->groups, priced->statistics,
                                   priced->shift, priced->plan.family);
  set_fine_bits(priced->weighing, priced->statistics, priced->noise);
  if (priced->weighing == NULL || !weighs_shards(priced)) return;
  priced->weighing->on_shards = (int64*)palloc0(sizeof(int64) * priced->weighing->lists);
}

void plan_noise(const QueryCall& call, PricedQuery* priced) {
  if (call.half_width) priced->request.epsilon = epsilon_for_error(call, priced);
  guard([&] { plan_statistics(priced); });
  if (weighs_shards(priced) && !call.mechanism && !suits_shards(priced)) {
    priced->request.mechanism = weighed_family(call);
    guard([&] { plan_statistics(priced); });
  }
  plan_weights(priced);
  check_deviations(priced);
}

// Tables of one population pay once; but each grant pays for itself.
TablePrice* paid_together(const PricedQuery* priced, const ProtectedTable* table) {
  for (int i = 0; i < priced->prices; i++) {
    TablePrice* price = &priced->price[i];
    if (price->table->account == table->account && price->table->granted_to == table->granted_to &&
        price->other_count < kMostTables - 1) {
      return price;
    }
  }
  return NULL;
}

// A layer reads those to which its text narrows.
BlocksRead blocks_of(const PricedQuery* priced, const ProtectedTable* table) {
  const QuerySources* sources = priced->scope.sources;
  if (!has_blocks(table->blocks)) return {};
  for (int i = 0; i < sources->count; i++) {
    if (sources->source[i].table == table) return priced->blocks[i];
  }
  return blocks_of_layer(sources->source[0].layer, table);
}

// The price of the same noise on each table but the first, which decided on the family: accountants
// differ in what a release costs, never in the noise of a family.
void price_others(PricedQuery* priced) {
  const QuerySources* sources = priced->scope.sources;
  const ProtectedTable** tables;
  const int count = protected_tables(sources, &tables);
  priced->price = (TablePrice*)palloc0(sizeof(TablePrice) * count);
  for (int i = 0; i < count; i++) {
    const ProtectedTable* table = tables[i];
    if (TablePrice* together = paid_together(priced, table)) {
      together->others[together->other_count++] = table;
      together->has_blocks = together->has_blocks || has_blocks(table->blocks);
      together->blocks = joined_blocks(together->blocks, blocks_of(priced, table));
      continue;
    }
    TablePrice* price = &priced->price[priced->prices++];
    *price = {table,
              (const ProtectedTable**)palloc(sizeof(void*) * (kMostTables - 1)),
              0,
              has_blocks(table->blocks),
              blocks_of(priced, table),
              priced->plan};
    if (i == 0) continue;  // it decided
    price->plan = guard([&] { return plan_elsewhere(priced, filter_of(table)); });
  }
}

// The statistics with finer trees; NULL: there are none, or no room for them where there is room
// for plain ones. By public numbers alone.
const QueryStatistics* finer_statistics(const PricedQuery* priced) {
  const QueryStatistics* plain = priced->statistics;
  const int64 groups = groups_at_once(priced->groups);
  const RowBytes bytes = *priced->scope.bytes;
  const QueryStatistics* finer =
      list_statistics(&priced->scope, priced->shape, groups, TreeShape::fine_cells);
  *priced->scope.bytes = bytes;  // both lists have the same expressions, and one is scanned
  if (finer->cells == plain->cells || !has_room(finer, groups)) return NULL;
  const auto fits = [&](const QueryStatistics* statistics) {
    return answer_bytes(priced->groups, statistics) <= answer_limit_bytes();
  };
  if (fits(plain) && !fits(finer)) return NULL;
  return memory_bytes(priced->groups, finer) <= scan_memory_bytes() ? finer : NULL;
}

bool are_finer_worth(const PricedQuery* priced) {
  const double rows = public_rows_of_group(priced);
  return guard([&] {
    std::vector<NoiseLaw> levels;
    for (int i = 0; i < priced->statistics->count; i++) {
      if (priced->statistics->statistic[i].kind == StatisticKind::tree) {
        levels.push_back(priced->noise[i].law);
      }
    }
    return are_fine_cells_worth(levels, rows);
  });
}

bool is_remembered(const PricedQuery* priced) {
  return recall(priced, false).verdict == Remembered::hit;
}

// Trees have finer cells where rows are many for their noise. What memory has is free, though,
// whichever it has. An error that is asked for should take the least epsilon.
void grow_trees(const QueryCall& call, bool explain, PricedQuery* priced) {
  if (call.half_width) return;
  const QueryStatistics* statistics = finer_statistics(priced);
  if (statistics == NULL) return;
  PricedQuery finer = *priced;
  finer.statistics = statistics;
  finer.prices = 0;
  prepare_plan(call, explain, &finer);
  if (!can_plan(&finer)) return;
  plan_weights(&finer);
  price_others(&finer);
  const PricedQuery& chosen = are_finer_worth(priced) ? finer : *priced;
  const PricedQuery& other = &chosen == &finer ? *priced : finer;
  *priced = is_remembered(&other) && !is_remembered(&chosen) ? other : chosen;
}

// Quantiles are drawn from exact counts where that is less off than noise in all nodes of a tree.
// What memory has is free, though, whichever it has.
void draw_quantiles(const QueryCall& call, bool explain, PricedQuery* priced) {
  if (!may_be_drawn(call, priced)) return;
  PricedQuery drawn = *priced;
  drawn.statistics = drawn_statistics(priced);
  if (drawn.statistics == NULL) return;
  drawn.prices = 0;
  prepare_plan(call, explain, &drawn);
  if (!can_plan(&drawn)) return;
  plan_weights(&drawn);
  price_others(&drawn);
  const PricedQuery& chosen = are_draws_worth(&drawn, priced) ? drawn : *priced;
  const PricedQuery& other = &chosen == &drawn ? *priced : drawn;
  *priced = is_remembered(&other) && !is_remembered(&chosen) ? other : chosen;
}

// What is counted of shares of the units adds up: neither which groups there are nor which values.
bool can_be_added(const PricedQuery* priced) {
  if (priced->groups->discovered) return false;
  for (int i = 0; i < priced->statistics->count; i++) {
    const StatisticKind kind = priced->statistics->statistic[i].kind;
    if (kind == StatisticKind::distinct || kind == StatisticKind::different) return false;
  }
  return true;
}

}  // namespace

Spending charge_at(const PricedQuery* priced, const Filter& filter, double epsilon) {
  QueryRequest request = priced->request;
  request.epsilon = epsilon;
  return price_of_request(priced, request, filter);
}

ChargeRequest request_of(const TablePrice& price) {
  const bool reads_none = price.has_blocks && price.blocks.count == 0;
  return {.table = price.table,
          .kind = "query",
          .mechanism = mechanism_of(price.plan).data(),
          .epsilon = price.plan.epsilon,
          .delta = price.plan.delta,
          .own = price.plan.has_own ? &price.plan.own : NULL,
          .parameters = NULL,
          .others = price.others,
          .other_count = price.other_count,
          .blocks = reads_none ? &kNoBlock : price.blocks.range,
          .block_count = reads_none ? 1 : price.blocks.count};
}

namespace {

// Refuses to find groups of a layer whose rows multiply: there may be as many groups as rows, and
// any number of these.
void refuse_found_multiples(const CheckedQuery& checked) {
  const Layer* layer = checked.scope.sources->source[0].layer;
  if (layer == NULL || !layer->multiplies || !checked.groups->discovered) return;
  refuse_construct("finding groups among rows of a join in which each may meet several is",
                   "Group by columns whose values are declared, or aggregate by person first.");
}

}  // namespace

CheckedQuery check_query(const Query* query, const QueryChecks& checks) {
  CheckedQuery checked = {};
  if (needs_layer(query)) {
    checked.scope = layered_scope(query, checks.all_blocks);
  } else {
    checked.scope.query = query;
    checked.scope.sources = open_sources(query);
    checked.scope.bytes = (RowBytes*)palloc0(sizeof(RowBytes));
  }
  checked.scope.own_scales = checks.own_scales;
  const RoundedMoments moments = rounded_moments(&checked.scope);
  checked.scope.query = moments.query;
  checked.quanta = moments.quanta;
  QueryShape* shape = validate(&checked.scope);
  checked.shape = shape;
  refuse_label(checked.scope.sources->first);
  checked.blocks = narrow_to_blocks(&checked.scope, checks.all_blocks, shape);
  checked.scope.from = shape->from;
  checked.scope.joined = &shape->joined;
  const List* facts = facts_of(shape);
  checked.scope.facts = checks.counter ? facts_for_ever(&checked.scope, facts) : (List*)facts;
  notice_unknown_categories(&checked.scope);
  notice_outside_bounds(&checked.scope);
  require_distributable(&checked.scope, checked.shape);
  int64 groups = 0;
  const auto list = [&] {
    checked.groups = groups_of(&checked.scope, checked.shape, checks.groups);
    refuse_found_multiples(checked);
    groups = groups_at_once(checked.groups);
    checked.statistics =
        list_statistics(&checked.scope, checked.shape, groups, TreeShape::plain_cells);
  };
  const RowBytes before = *checked.scope.bytes;
  list();
  if (can_pick_rows(&checked.scope, shape, checked.groups, checked.statistics)) {
    shape->joined.sampled = false;
    shape->joined.picked = true;
    *checked.scope.bytes = before;
    list();
  }
  require_weighable(&checked.scope, checked.shape, checked.groups);
  check_answered_together(checked.shape, checked.statistics);
  check_cells(checked.statistics, groups);
  need_memory(checked.scope.bytes->staying + checked.scope.bytes->passing);
  return checked;
}

QueryChecks checks_of(const QueryCall& call) {
  return {.groups = {call.keys, call.delta > 0},
          .all_blocks = call.all_blocks,
          .own_scales = !call.one_lattice};
}

PricedQuery priced_query(const QueryCall& call, bool explain) {
  PricedQuery priced = {};
  const Query* query = call.analysed;
  if (query == NULL) query = analyse_query_text(call.text, call.params, &priced.moving);
  static_cast<CheckedQuery&>(priced) = check_query(query, checks_of(call));
  require_memory(
      priced.groups, priced.statistics,
      priced.groups->cube == NULL ? 0 : measure_of(&priced.scope.sources->source[0], rows_in));
  priced.text = call.text;
  priced.question = call.question;
  priced.kept = call.kept;
  priced.table = priced.scope.sources->first;
  priced.unit = unit_contribution(priced.shape, priced.groups, call.max_groups, call.max_rows);
  prepare_plan(call, explain, &priced);
  plan_noise(call, &priced);
  price_others(&priced);
  grow_trees(call, explain, &priced);
  draw_quantiles(call, explain, &priced);
  priced.reach = end_reaches(priced.shape, priced.groups, priced.statistics, priced.noise);
  Query* tree = scan_tree(&priced.scope, priced.shape, priced.groups, priced.statistics,
                          priced.unit, priced.weighing, &priced.memory, &priced.shares);
  plan_held_units(held_by(priced.scope.sources), can_be_added(&priced));
  const bool parallel =
      priced.memory == NULL &&  // which is one process's
      are_workers_worth(priced.scope.sources, priced.groups, priced.statistics);
  priced.scan = plan_scan(tree, priced.table->owner, public_tables(priced.scope.sources), parallel,
                          scan_parameter_type(priced.memory, priced.shares));
  require_planned_parts(&priced.scope, &priced.shape->joined);
  need_rows_at_work(held_by(priced.scope.sources), priced.scan);
  return priced;
}

Outlook table_outlook(const TablePrice* price) {
  return outlook_of(request_of(*price));
}

Outlook nearest_outlook(const PricedQuery* priced, const QueryPlan* plans) {
  Outlook nearest = {};
  for (int i = 0; i < priced->prices; i++) {
    TablePrice price = priced->price[i];
    if (plans != NULL) price.plan = plans[i];
    const Outlook outlook = table_outlook(&price);
    if (i == 0 || outlook.calls < nearest.calls) nearest = outlook;
  }
  return nearest;
}

}  // namespace dpmix::pg
