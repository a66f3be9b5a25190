#include "pg/query/preview/answer_error.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "core/noise/lattice_moments.hpp"
#include "core/query/cube_noise.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/values.hpp"
#include "pg/query/check/grouping_sets.hpp"

namespace dpmix::pg {
namespace {

constexpr double kLevel = 0.95;

}  // namespace

AnswerError answer_error(const PricedQuery* priced, int i, int set) {
  const char* text = priced->statistics->statistic[i].text;
  const NoiseLaw& law = priced->noise[i].law;
  if (priced->groups->cube == NULL) {
    return guard([&] {
      const LatticeMoments moments =
          priced->noise[i].fine_bits > 0 ? moments_with_rounding(law, 1) : lattice_moments(law, 1);
      return AnswerError{text, moments.stddev, moments.expected_abs,
                         lattice_quantile(law, 1, kLevel)};
    });
  }
  const CubeReach of = reach_in(priced->groups, set);
  const int keys = std::popcount(priced->shape->sets->keys[set]);
  const char* name = psprintf("%s %s", text, set_text(&priced->scope, priced->shape, set));
  return guard([&] {
    const double stddev = cube_deviation(law, of, keys);  // close to a normal one
    return AnswerError{name, stddev, stddev * std::sqrt(2 / std::numbers::pi),
                       cube_reach(law, of, kLevel, 1)};
  });
}

const char* more_accurate_text(const PricedQuery* priced) {
  if (!priced->other) return NULL;
  const auto& [family, less_error, price] = *priced->other;
  return psprintf(
      "%s noise would have %.2g times less error at the same epsilon, for %.3g times "
      "the share of the budget",
      name(family).data(), less_error, price);
}

}  // namespace dpmix::pg
