#include "pg/query/price/noise_plan.hpp"

#include <algorithm>
#include <vector>

#include "core/query/box_noise.hpp"
#include "core/query/draw_plan.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/scan/table_size.hpp"

namespace dpmix::pg {

std::span<const StatisticShift> shifts_of(const PricedQuery* priced) {
  return {priced->shift, static_cast<std::size_t>(noisy_statistics(priced->statistics))};
}

namespace {

std::vector<DrawShift> shifts_of_draws(const PricedQuery* priced) {
  return draw_shifts(priced->shape, priced->unit, priced->groups, priced->statistics);
}

// The shares of what has noise, of those statistics alone.
double squares_of(const PricedQuery* priced) {
  return priced->joint ? priced->joint->squares : static_cast<double>(shifts_of(priced).size());
}

struct Parts {
  QueryRequest noise;
  double range;  // 0: nothing is drawn
};

Parts parts_of(const PricedQuery* priced, const QueryRequest& request,
               const std::vector<DrawShift>& draws) {
  const Filter filter = filter_of(priced->table);
  if (draws.empty()) return {request, 0};
  if (shifts_of(priced).empty()) return {request, plan_draws(request, filter, draws).range};
  const SharedPlan shared = plan_draws_beside(request, filter, draws, squares_of(priced));
  return {shared.noise, shared.range};
}

// What both parts are charged to a table.
QueryPlan plan_of(const QueryRequest& request, const QueryPlan& noise, const Accounting& table,
                  const std::vector<DrawShift>& draws, double range) {
  return draws.empty() ? noise : with_draws(request, noise, table, draws, range);
}

// The same of what is planned for that table alone.
QueryPlan plan_with(const PricedQuery* priced, const QueryRequest& request, const Parts& parts,
                    const Filter& filter, const std::vector<DrawShift>& draws) {
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  if (shifts.empty()) return price_draws(request, filter.accounting(), draws, parts.range);
  std::vector<StatisticNoise> noise(shifts.size());
  return plan_of(request, plan_query(parts.noise, filter, shifts, noise, cached_on_lattice),
                 filter.accounting(), draws, parts.range);
}

void set_draws(PricedQuery* priced, const std::vector<DrawShift>& draws, double range) {
  const int first = noisy_statistics(priced->statistics);
  for (std::size_t i = 0; i < draws.size(); i++) {
    const int statistic = first + static_cast<int>(i);
    const ExactShare share = exact_share(priced->statistics->statistic[statistic].share);
    const double ranks = static_cast<double>(draws[i].steps) / static_cast<double>(share.whole);
    StatisticNoise& noise = priced->noise[statistic];
    noise = {{.family = Family::laplace, .sensitivity = ranks, .scale = ranks / range},
             epsilon_of_draw(draws[i], range),
             0};
    noise.range = range;
    noise.steps = draws[i].steps;
  }
}

}  // namespace

QueryPlan plan_elsewhere(const PricedQuery* priced, const Filter& filter) {
  const std::vector<DrawShift> draws = shifts_of_draws(priced);
  Parts parts = parts_of(priced, priced->request, draws);
  parts.noise.mechanism = priced->plan.family;
  parts.noise.together =
      std::any_of(priced->noise, priced->noise + shifts_of(priced).size(), is_in_box);
  return plan_with(priced, priced->request, parts, filter, draws);
}

Spending price_of_request(const PricedQuery* priced, const QueryRequest& request,
                          const Filter& filter) {
  const std::vector<DrawShift> draws = shifts_of_draws(priced);
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  Parts parts = parts_of(priced, request, draws);  // the first table decides on these,
  if (priced->prices > 1 && !shifts.empty()) {     // on the family, and what is drawn together
    std::vector<StatisticNoise> noise(shifts.size());
    parts.noise.mechanism =
        plan_query(parts.noise, filter_of(priced->table), shifts, noise, cached_on_lattice).family;
    parts.noise.together = std::ranges::any_of(noise, is_in_box);
  }
  if (draws.empty()) return price_query(parts.noise, filter, shifts, cached_on_lattice);
  return charge_of(plan_with(priced, request, parts, filter, draws), filter);
}

void plan_statistics(PricedQuery* priced) {  // in guard()
  const std::vector<DrawShift> draws = shifts_of_draws(priced);
  const std::span<const StatisticShift> shifts = shifts_of(priced);
  const Filter filter = filter_of(priced->table);
  const Parts parts = parts_of(priced, priced->request, draws);
  priced->other = std::nullopt;
  if (shifts.empty()) {
    priced->plan = price_draws(priced->request, filter.accounting(), draws, parts.range);
  } else {
    const QueryPlan noise =
        plan_query(parts.noise, filter, shifts, {priced->noise, shifts.size()}, cached_on_lattice,
                   priced->explained ? &priced->candidates : nullptr, &priced->other);
    priced->plan = plan_of(priced->request, noise, filter.accounting(), draws, parts.range);
  }
  set_draws(priced, draws, parts.range);
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
