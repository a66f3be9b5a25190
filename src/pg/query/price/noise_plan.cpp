#include "pg/query/price/noise_plan.hpp"

#include <vector>

#include "core/query/draw_plan.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/scan/table_size.hpp"

namespace dpmix::pg {

std::span<const StatisticShift> shifts_of(const PricedQuery* priced) {
  return {priced->shift, static_cast<std::size_t>(priced->statistics->count)};
}

bool draws_quantiles(const QueryStatistics* statistics) {
  return statistics->statistic[0].kind == StatisticKind::drawn;
}

namespace {

std::vector<DrawShift> shifts_of_draws(const PricedQuery* priced) {
  return draw_shifts(priced->shape, priced->unit, priced->groups, priced->statistics);
}

void plan_quantiles(PricedQuery* priced) {
  const std::vector<DrawShift> shifts = shifts_of_draws(priced);
  const DrawPlan made = plan_draws(priced->request, filter_of(priced->table), shifts);
  priced->plan = made.plan;
  priced->other = std::nullopt;
  for (std::size_t i = 0; i < shifts.size(); i++) {
    const ExactShare share = exact_share(priced->statistics->statistic[i].share);
    const double ranks = static_cast<double>(shifts[i].steps) / static_cast<double>(share.whole);
    StatisticNoise& noise = priced->noise[i];
    noise = {{.family = Family::laplace, .sensitivity = ranks, .scale = ranks / made.range},
             epsilon_of_draw(shifts[i], made.range),
             0};
    noise.range = made.range;
    noise.steps = shifts[i].steps;
  }
}

}  // namespace

QueryPlan plan_elsewhere(const PricedQuery* priced, const Filter& filter) {
  if (draws_quantiles(priced->statistics)) {
    return price_draws(priced->request, filter.accounting(), shifts_of_draws(priced),
                       priced->noise[0].range);
  }
  QueryRequest request = priced->request;
  request.mechanism = priced->plan.family;
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  std::vector<StatisticNoise> noise(shifts.size());
  return plan_query(request, filter, shifts, noise, cached_on_lattice);
}

Spending price_of_request(const PricedQuery* priced, QueryRequest request, const Filter& filter) {
  if (draws_quantiles(priced->statistics)) {  // the first table decides on the range
    const std::vector<DrawShift> draws = shifts_of_draws(priced);
    const double range = plan_draws(request, filter_of(priced->table), draws).range;
    return charge_of(price_draws(request, filter.accounting(), draws, range), filter);
  }
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  if (priced->prices > 1) {  // and on the family
    std::vector<StatisticNoise> noise(shifts.size());
    request.mechanism =
        plan_query(request, filter_of(priced->table), shifts, noise, cached_on_lattice).family;
  }
  return price_query(request, filter, shifts, cached_on_lattice);
}

void plan_statistics(PricedQuery* priced) {  // in guard()
  if (draws_quantiles(priced->statistics)) {
    plan_quantiles(priced);
    return;
  }
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  priced->plan = plan_query(priced->request, filter_of(priced->table), shifts,
                            {priced->noise, shifts.size()}, cached_on_lattice,
                            priced->explained ? &priced->candidates : nullptr, &priced->other);
}

bool can_plan(PricedQuery* priced) {
  return guard([&] {
    try {
      plan_statistics(priced);
    } catch (const Error& error) {
      if (error.code == ErrorCode::invalid_parameter) return false;
      throw;
    }
    return true;
  });
}

double public_rows_of_group(const PricedQuery* priced) {
  const QueryShape* shape = priced->shape;
  bool all = priced->scope.sources->count == 1 && shape->where == NULL && !shape->joined.sampled &&
             !priced->groups->discovered && !has_blocks(priced->table->blocks) &&
             priced->scope.sources->source[0].layer == NULL;
  for (int i = 0; i < shape->aggregates; i++) {
    const bool tree = has_tree(priced->statistics, priced->statistics->parts[i]);
    all = all && (!tree || shape->aggregate[i].filter == NULL);
  }
  return all ? rows_in(priced->table->relation) / Max(priced->groups->count, 1) : 0;
}

}  // namespace dpmix::pg
