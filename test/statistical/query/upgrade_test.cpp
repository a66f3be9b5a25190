// A ladder of upgrades: does the combined error follow its law, and do intervals cover?
//
// Draws come from a fixed stream: a run that fails by chance has probability below 1e-9.
#include "core/query/upgrade.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "core/noise/lattice_moments.hpp"
#include "core/noise/sampler.hpp"
#include "statistical/goodness_of_fit.hpp"

namespace dpmix {
namespace {

constexpr RandomStream::Key kKey = {18, 4};

// The draws of a ladder that wants these deviations, one after the other.
std::vector<double> ladder(const std::vector<double>& wanted) {
  std::vector<double> drawn;
  double stored = 0;
  for (const double deviation : wanted) {
    drawn.push_back(missing_deviation(stored, precision_of(deviation)));
    stored += precision_of(drawn.back());
  }
  return drawn;
}

Int128 combined_error(const std::vector<NoiseSampler>& sampler, const std::vector<double>& weights,
                      RandomStream& random) {
  std::vector<Int128> answers;
  const Int128 exact = Int128{1} << 70;
  for (const NoiseSampler& draw : sampler) answers.push_back(exact + draw(random));
  return combined_answer(answers, weights) - exact;
}

// Normal noise of the last deviation wanted; roundings are far below what so many draws can tell.
TEST(Upgrade, ErrorFollowsTheLawOfTheLastRequest) {
  RandomStream random(kKey);
  const std::vector<double> drawn = ladder({9000, 5000, 3000, 1500, 1000});
  std::vector<NoiseSampler> sampler;
  for (const double scale : drawn) sampler.emplace_back(NoiseLaw{Family::gaussian, 1, scale});
  const std::vector<double> weights = answer_weights(drawn);
  const NoiseLaw last{Family::gaussian, 1, 1000};
  const std::uint64_t trials = test::draws(200000);
  for (const double level : {.5, .8, .95, .99}) {
    const double reach = lattice_quantile(last, 1, level);
    std::uint64_t inside = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
      const auto error = static_cast<double>(combined_error(sampler, weights, random));
      inside += std::abs(error) <= reach;
      squares += error * error;
    }
    const double n = static_cast<double>(trials);
    EXPECT_LT(std::abs(static_cast<double>(inside) - n * level),
              7 * std::sqrt(n * level * (1 - level)) + n * 1e-3)
        << level;
    EXPECT_NEAR(squares / n / 1e6, 1, 7 * std::sqrt(2 / n) + 1e-3);
  }
}

// Also where noise is no larger than the roundings.
TEST(Upgrade, IntervalsCover) {
  RandomStream random(kKey);
  for (const double unit : {.2, .7, 3., 400.}) {
    const std::vector<double> drawn = ladder({4 * unit, 3 * unit, unit});
    std::vector<NoiseSampler> sampler;
    for (const double scale : drawn) sampler.emplace_back(NoiseLaw{Family::gaussian, 1, scale});
    const std::vector<double> weights = answer_weights(drawn);
    const double reach = combined_reach(combined_deviation(drawn), .05);
    const std::uint64_t trials = test::draws(100000);
    std::uint64_t inside = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
      const Int128 error = combined_error(sampler, weights, random);
      inside += std::abs(static_cast<double>(error)) <= reach;
    }
    const double n = static_cast<double>(trials);
    EXPECT_GT(static_cast<double>(inside), n * .95 - 7 * std::sqrt(n * .95 * .05)) << unit;
  }
}

// An analyst who asks for more while the interval excludes the truth, or includes it, or stops when
// it pleases: all answers after the first hold together.
TEST(Upgrade, LadderHoldsForWhoeverStopsWhen) {
  RandomStream random(kKey);
  std::vector<double> wanted;
  for (int i = 0; i < 12; ++i) wanted.push_back(1000 * std::pow(.8, i));
  const std::vector<double> drawn = ladder(wanted);
  const std::uint64_t trials = test::draws(50000);
  std::uint64_t ever_wrong = 0;
  std::vector<double> reach;
  std::vector<std::vector<double>> weights;
  std::vector<NoiseSampler> sampler;
  for (std::size_t k = 1; k <= drawn.size(); ++k) {
    const std::span<const double> used(drawn.data(), k);
    reach.push_back(
        combined_reach(combined_deviation(used), 1 - ladder_level(.95, static_cast<int>(k))));
    weights.push_back(answer_weights(used));
    sampler.emplace_back(NoiseLaw{Family::gaussian, 1, drawn[k - 1]});
  }
  for (std::uint64_t i = 0; i < trials; ++i) {
    std::vector<Int128> answers;
    bool wrong = false;
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      answers.push_back(sampler[k](random));
      if (k == 0) continue;
      const auto error = static_cast<double>(combined_answer(answers, weights[k]));
      wrong = wrong || std::abs(error) > reach[k];
    }
    ever_wrong += wrong;
  }
  const double n = static_cast<double>(trials);
  EXPECT_LT(static_cast<double>(ever_wrong), n * .025 + 7 * std::sqrt(n * .025));
  std::printf("  an answer of 12 was outside of its interval in %.4f of the ladders (.025)\n",
              static_cast<double>(ever_wrong) / n);
}

}  // namespace
}  // namespace dpmix
