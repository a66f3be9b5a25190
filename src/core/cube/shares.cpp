#include "core/cube/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr double kGap = 1e-3;
constexpr double kLeast = 1e-4;
constexpr int kMostRounds = 1500;
constexpr double kMostWork = 1e8;  // subsets of sets, over all rounds

void normalise(std::vector<double>& share) {
  const double sum = std::accumulate(share.begin(), share.end(), 0.0);
  for (double& each : share) each /= sum;
}

}  // namespace

// The mean variance f is convex and homogeneous of degree -1, so that sum share * pull = f and no
// shares make it less than 2 f - max pull.
CubeShares cube_shares(const CubeWorkload& workload) {
  const std::size_t sets = workload.sets();
  const double weight = 1.0 / static_cast<double>(sets);
  std::vector<double> wanted(workload.residuals());  // variance of all answers by residual
  double parts = 0;
  for (std::size_t i = 0; i < sets; ++i) {
    parts += static_cast<double>(workload.parts(i).size());
    for (const CubeWorkload::Part& part : workload.parts(i)) {
      wanted[static_cast<std::size_t>(part.residual)] += weight * part.spread;
    }
  }
  CubeShares made{std::vector<double>(sets, weight), 0};
  const int rounds =
      std::max(static_cast<int>(std::min(kMostWork / parts, double{kMostRounds})), 1);
  std::vector<double> pull(sets);
  for (int round = 0; round < rounds; ++round) {
    poll();
    std::vector<double> slope = workload.precisions(made.share);
    for (std::size_t a = 0; a < slope.size(); ++a) slope[a] = wanted[a] / (slope[a] * slope[a]);
    double all = 0, most = 0;
    for (std::size_t i = 0; i < sets; ++i) {
      pull[i] = 0;
      for (const CubeWorkload::Part& part : workload.parts(i)) {
        pull[i] += part.told * slope[static_cast<std::size_t>(part.residual)];
      }
      all += made.share[i] * pull[i];
      most = std::max(most, pull[i]);
    }
    made.gap = most / all - 1;
    if (made.gap <= kGap) break;
    for (std::size_t i = 0; i < sets; ++i) made.share[i] *= std::sqrt(pull[i] / all);
    normalise(made.share);
  }
  for (double& each : made.share) each = std::max(each, kLeast * weight);
  normalise(made.share);
  return made;
}

}  // namespace dpmix
