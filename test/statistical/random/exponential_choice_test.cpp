// Choices against their law, enumerated over all candidates. A right sampler fails any one of these
// with probability at most 1e-9; keys are fixed. DPMIX_SOAK=1 draws 10 times as much.
#include "core/random/exponential_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "statistical/goodness_of_fit.hpp"

namespace dpmix {
namespace {

using Scores = std::vector<std::int64_t>;

constexpr double false_alarm = 1e-9;
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::vector<double> law_of(const Scores& scores, long double rate) {
  const long double best = static_cast<long double>(std::ranges::max(scores));
  std::vector<long double> weight;
  long double total = 0;
  for (const std::int64_t score : scores) {
    weight.push_back(std::exp(-rate * (best - static_cast<long double>(score))));
    total += weight.back();
  }
  std::vector<double> law;
  for (const long double w : weight) law.push_back(static_cast<double>(w / total));
  return law;
}

// Half of the level for each candidate's frequency, half for chi-square.
double frequency_p_value(std::uint64_t trials, const std::vector<double>& law,
                         const std::vector<std::uint64_t>& count) {
  double p_value = 2 * test::chi_square_p_value(trials, law, count);
  for (std::size_t i = 0; i < law.size(); ++i) {
    p_value = std::min(p_value, 2 * static_cast<double>(law.size()) *
                                    test::binomial_p_value(trials, law[i], count[i]));
  }
  return p_value;
}

std::vector<std::uint64_t> choices(const Scores& scores, const ExactRate& rate,
                                   std::uint64_t trials) {
  RandomStream random({11});
  std::vector<std::uint64_t> count(scores.size());
  for (std::uint64_t i = 0; i < trials; ++i) ++count[exponential_choice(random, scores, rate)];
  return count;
}

Scores scattered(std::size_t candidates, std::int64_t width) {
  RandomStream random({12});
  Scores scores;
  for (std::size_t i = 0; i < candidates; ++i) {
    scores.push_back(static_cast<std::int64_t>(random.below(width)) - width / 2);
  }
  return scores;
}

struct Case {
  Scores scores;
  ExactRate rate;
};

const Case cases[] = {
    {{0, -1, -2, -3, -4, -5, -6, -7, -8, -9}, {.5}},
    {{7, 7, 7, 7, 7}, {3}},
    {{0, 1}, {1e-3}},
    {{3, 1, 2}, {0}},
    {{-20, 0, -5, 0, -1, -10, -13}, {1}},            // one in 1e9
    {{0, -1000, -1, -1'000'000, -2, least}, {.25}},  // far below
    {{100, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {.02, 3, 2}},
    {{most, 0, least, -1}, {1, 1, std::uint64_t{1} << 63}},  // 2^64 apart
    {scattered(40, 30), {.1}},
    {scattered(300, 100'000), {.1, 1, 2000}},
};

TEST(ExponentialChoiceFrequency, IsTheLaw) {
  for (const Case& c : cases) {
    const std::uint64_t trials = test::draws(c.scores.size() > 100 ? 200'000 : 1'000'000);
    EXPECT_GT(frequency_p_value(trials, law_of(c.scores, c.rate.approximate()),
                                choices(c.scores, c.rate, trials)),
              false_alarm)
        << &c - cases;
  }
}

// Two choices that follow each other are independent.
TEST(ExponentialChoiceFrequency, ChoicesAreIndependent) {
  const Scores scores = {0, 2, 5, 1};
  const std::vector<double> law = law_of(scores, .3L);
  const std::uint64_t pairs = test::draws(500'000);
  std::vector<double> both;
  for (const double p : law) {
    for (const double q : law) both.push_back(p * q);
  }
  std::vector<std::uint64_t> count(both.size());
  RandomStream random({13});
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const std::size_t first = exponential_choice(random, scores, {.3});
    ++count[first * scores.size() + exponential_choice(random, scores, {.3})];
  }
  EXPECT_GT(frequency_p_value(pairs, both, count), false_alarm);
}

// These tests would notice: a rate 2% off, a score one off, a law that is uniform far below.
TEST(ExponentialChoiceFrequency, OtherLawsAreRejected) {
  const std::uint64_t trials = 1'000'000;
  const Scores scores = cases[0].scores;
  const std::vector<std::uint64_t> count = choices(scores, {.5}, trials);
  EXPECT_GT(frequency_p_value(trials, law_of(scores, .5L), count), false_alarm);
  EXPECT_LT(frequency_p_value(trials, law_of(scores, .51L), count), false_alarm);
  Scores other = scores;
  other[9] = -8;
  EXPECT_LT(frequency_p_value(trials, law_of(other, .5L), count), false_alarm);
  std::vector<double> mixed = law_of(scores, .5L);
  for (double& p : mixed) p = .99 * p + .01 / static_cast<double>(mixed.size());
  EXPECT_LT(frequency_p_value(trials, mixed, count), false_alarm);
}

}  // namespace
}  // namespace dpmix
