// Draws of the step laws against their exact laws. A right sampler fails any one of these with
// probability at most 1e-9; keys are fixed. DPMIX_SOAK=1 draws 10 times as much.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/noise/steps/draw.hpp"
#include "core/noise/steps/least_steps.hpp"
#include "core/noise/steps/moments.hpp"
#include "statistical/goodness_of_fit.hpp"

namespace dpmix {
namespace {

using test::Edge;
using test::fit_p_value;

constexpr double kFalseAlarm = 1e-9;

// Of small laws every cell, of others the boundaries between runs of equal weight near 0 and near
// the cutoff, and tails down to 1e-9; and the mirror images.
std::vector<Edge> edges_of(const StepLaw& law) {
  std::vector<double> at;
  const double m = law.period, r = law.half_width;
  if (law.sensitivity <= 40) {
    for (double k = 1; k <= 200; ++k) at.push_back(k);
  } else {
    at = {1, 2};
    for (double level = 0; level < 4; ++level) {
      for (const double place : {r / 2, r + 1, m / 2, m - r, m}) at.push_back(level * m + place);
    }
    for (const double back : {0.0, r / 2, r, m / 2, m}) at.push_back(law.cutoff - back);
    for (double k = 1; k < law.cutoff && k < 1e4 * m && at.size() < 120; k *= 1.6) at.push_back(k);
  }
  for (double& k : at) k = std::floor(k);
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  std::erase_if(
      at, [&](double k) { return !(k >= 1) || std::isinf(k) || step_tail(law, k - 1) < 2e-9; });
  std::vector<Edge> edges;
  for (auto k = at.rbegin(); k != at.rend(); ++k) {
    const double tail = step_tail(law, *k - 1) / 2;  // P(K >= k)
    edges.push_back({1 - *k, tail, 1 - tail});
  }
  for (const double k : at) {
    const double tail = step_tail(law, k - 1) / 2;
    edges.push_back({k, 1 - tail, tail});
  }
  return edges;
}

double p_value(const StepLaw& claimed, const StepLaw& law, double slack, std::uint64_t trials) {
  const double variance = step_variance(claimed);
  double fourth = 1e300;  // that is, no test of moments
  if (claimed.sensitivity <= 40 && claimed.fall > 0.1 * claimed.period / claimed.sensitivity) {
    fourth = 0;
    for (double k = 1; k < 4000 && step_tail(claimed, k - 1) > 0; ++k) {
      fourth += (step_tail(claimed, k - 1) - step_tail(claimed, k)) * k * k * k * k;
    }
  }
  RandomStream random({7});
  return fit_p_value(trials, edges_of(claimed), {0, variance, fourth},
                     [&] { return static_cast<double>(draw_step(random, law, slack)); });
}

double p_value(const StepLaw& law, std::uint64_t trials = test::draws(300'000)) {
  return p_value(law, law, 0x1p-40, trials);
}

std::string show(const StepLaw& law) {
  std::string text;
  for (const double x : {law.sensitivity, law.period, law.fall, law.half_width, law.dip, law.cutoff,
                         law.edge, law.atom}) {
    text += std::to_string(x) + " ";
  }
  return text;
}

TEST(StepDraws, FollowTheLeastLaws) {
  for (const double m : {1.0, 2.0, 5.0, 16.0, 0x1p20, 0x1p53}) {
    for (const double epsilon : {1e-6, 0.1, 1.0, 2.0, 5.0, 20.0}) {
      std::vector<StepLaw> laws = {least_staircase(epsilon, m).law};
      for (const double delta : {1e-6, 0.1}) {
        laws.push_back(least_truncated_laplace(epsilon, delta, m).law);
        laws.push_back(least_tulap(epsilon, delta, m).law);
        laws.push_back(least_optimal(epsilon, delta, m).law);
      }
      for (const StepLaw& law : laws) {
        EXPECT_GT(p_value(law, test::draws(20'000)), kFalseAlarm) << show(law);
      }
    }
  }
}

// Landings, dips of both kinds, cutoffs in all of them, edges and atoms; both ways of drawing.
TEST(StepDraws, FollowLawsOfEveryShape) {
  const std::vector<StepLaw> laws = {
      {.sensitivity = 7,
       .period = 7,
       .fall = 1.2,
       .half_width = 1,
       .dip = 0.4,
       .cutoff = 24,
       .edge = 0.3,
       .atom = 0.05},
      {.sensitivity = 7,
       .period = 7,
       .fall = 1.2,
       .half_width = 2,
       .dip = 2.5,
       .cutoff = 21,
       .edge = 0.9},
      {.sensitivity = 8,
       .period = 8,
       .fall = 0.2,
       .half_width = 1,
       .dip = 0.7,
       .cutoff = 13,
       .edge = 0.4,
       .atom = 0.2},
      {.sensitivity = 8, .period = 8, .fall = 0.3, .half_width = 2, .dip = 1.3, .cutoff = 16},
      {.sensitivity = 5, .fall = 0.01, .cutoff = 40, .edge = 0.5},
      {.sensitivity = 5, .fall = 0.3, .cutoff = 40, .edge = 0.5},
      {.sensitivity = 30, .period = 30, .fall = 9, .half_width = 0, .dip = 8000},
      {.sensitivity = 1, .period = 1, .fall = 0.7, .cutoff = 1, .edge = 0.1},
  };
  for (const StepLaw& law : laws) EXPECT_GT(p_value(law), kFalseAlarm) << show(law);
}

// With no help from doubles the coin between landings and dips is the same coin.
TEST(StepDraws, FollowTheLawWhenDigitsDecide) {
  const StepLaw law{.sensitivity = 7,
                    .period = 7,
                    .fall = 1.2,
                    .half_width = 1,
                    .dip = 0.4,
                    .cutoff = 24,
                    .edge = 0.3,
                    .atom = 0.05};
  EXPECT_GT(p_value(law, law, 1, test::draws(100'000)), kFalseAlarm);
  RandomStream usual({9}), exact({9});
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(draw_step(usual, law, 0x1p-40), draw_step(exact, law, 1));
  }
  EXPECT_EQ(usual.next64(), exact.next64());
}

TEST(StepDraws, OtherLawsAreRejected) {
  const StepLaw law{.sensitivity = 7,
                    .period = 7,
                    .fall = 1.2,
                    .half_width = 1,
                    .dip = 0.6,
                    .cutoff = 24,
                    .edge = 0.3,
                    .atom = 0.05};
  const auto differs = [&](auto change) {
    StepLaw other = law;
    change(other);
    return p_value(other, law, 0x1p-40, 1'000'000) < kFalseAlarm;
  };
  EXPECT_FALSE(differs([](StepLaw&) {}));
  EXPECT_TRUE(differs([](StepLaw& other) { other.dip = 0.62; }));
  EXPECT_TRUE(differs([](StepLaw& other) { other.fall = 1.23; }));
  EXPECT_TRUE(differs([](StepLaw& other) { other.half_width = 2; }));
  EXPECT_TRUE(differs([](StepLaw& other) { other.atom = 0.06; }));
  EXPECT_TRUE(differs([](StepLaw& other) { other.cutoff = 23; }));
  EXPECT_TRUE(differs([](StepLaw& other) { other.edge = 1; }));
}

}  // namespace
}  // namespace dpmix
