#include "core/mixture/methods/staged_shares.hpp"

#include <numeric>

namespace dpmix {

GmmSchedule gmm_schedule(int features, CovarianceShape shape, Adjacency adjacency) {
  // With few numbers to learn of a class, the scale found by distances is worth more.
  const bool variances_only = shape == CovarianceShape::diagonal || features == 1;
  constexpr double box = .1, growth = 1.55;
  GmmSchedule schedule{{box, variances_only ? .17 : .07}, 0};
  for (double share = 1; schedule.shares.size() < GmmSchedule::stages; share *= growth) {
    schedule.shares.push_back(share);
  }
  const auto first = schedule.shares.begin() + 2;
  const double left = 1 - schedule.shares[0] - schedule.shares[1],
               total = std::accumulate(first, schedule.shares.end(), 0.);
  for (auto share = first; share != schedule.shares.end(); ++share) *share *= left / total;
  // Under replace a row can cross the whole box: then the noise of the sums is the same for all
  // shares of the counts up to a half, and that of the counts the least there.
  schedule.box_count = adjacency == Adjacency::replace ? .5 : variances_only ? .08 : .16;
  return schedule;
}

}  // namespace dpmix
