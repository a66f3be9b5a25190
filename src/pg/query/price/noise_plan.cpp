#include "pg/query/price/noise_plan.hpp"

#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/scan/table_size.hpp"

namespace dpmix::pg {

std::span<const StatisticShift> shifts_of(const PricedQuery* priced) {
  return {priced->shift, static_cast<std::size_t>(priced->statistics->count)};
}

void plan_statistics(PricedQuery* priced) {  // in guard()
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
