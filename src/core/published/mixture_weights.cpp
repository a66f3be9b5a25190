#include "core/published/mixture_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/published/double_draws.hpp"

namespace dpmix {
namespace {

// K positive integers of sum N, all vectors alike: K - 1 distinct cuts among 1..N-1 (Floyd).
std::vector<int> any_weights(RandomStream& random, int total, int classes) {
  std::set<int> cuts;
  for (int j = total - classes + 1; j <= total - 1; ++j) {
    const int cut = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(j)));
    cuts.insert(cuts.contains(cut) ? j : cut);
  }
  std::vector<int> out;
  int last = 0;
  for (const int cut : cuts) {
    out.push_back(cut - last);
    last = cut;
  }
  out.push_back(total - last);
  return out;
}

}  // namespace

PublishedWeights map_weights(const std::vector<int>& rows,
                             const std::vector<double>& component_cost, double epsilon) {
  PublishedWeights out;
  out.outcome.push_back(rows);
  for (std::size_t from = 0; from < rows.size(); ++from) {
    for (std::size_t to = 0; to < rows.size(); ++to) {
      if (from == to || rows[from] < 2) continue;
      std::vector<int>& moved = out.outcome.emplace_back(rows);
      --moved[from];
      ++moved[to];
    }
  }
  const double total = std::accumulate(rows.begin(), rows.end(), 0.);
  const double neighbours = static_cast<double>(out.outcome.size() - 1);
  for (const std::vector<int>& counts : out.outcome) {
    double g = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double weight = counts[k] / total;
      g += weight * (std::log(counts[k] / static_cast<double>(rows[k])) + component_cost[k]);
    }
    const double tilt = g >= 0 ? std::exp(epsilon) : std::exp(-epsilon);
    out.divergence.push_back(g);
    out.probability.push_back(1 / (1 + neighbours * tilt));
    out.elsewhere.push_back(1 / (1 / tilt + neighbours));
  }
  return out;
}

std::vector<int> draw_weights(RandomStream& random, const PublishedWeights& weights,
                              double lambda) {
  const std::vector<int>& own = weights.outcome.front();
  if (uniform(random) < lambda) {
    return any_weights(random, std::accumulate(own.begin(), own.end(), 0),
                       static_cast<int>(own.size()));
  }
  const std::vector<double>& p = weights.probability;
  const double sum = std::accumulate(p.begin(), p.end(), 0.);
  if (sum == 0) return weights.outcome[random.below(p.size())];  // all alike, and too small
  double left = uniform(random) * sum;
  std::size_t i = 0;
  while (i + 1 < p.size() && left >= p[i]) left -= p[i++];
  return weights.outcome[i];
}

}  // namespace dpmix
