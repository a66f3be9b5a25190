#include "core/query/ratio_intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

StatisticNoise gaussian(double deviation, int draws = 1) {
  return {{.family = Family::gaussian, .sensitivity = 1, .scale = deviation}, 1, 1e-6, draws};
}

StatisticNoise laplace(double scale) {
  return {{.family = Family::laplace, .sensitivity = 1, .scale = scale}, 1, 0, 1};
}

LinearForm statistic(std::size_t i, double factor = 1) {
  LinearForm form;
  form.factor.resize(i + 1);
  form.factor[i] = factor;
  return form;
}

RatioForm ratio(std::size_t above, std::size_t below, double factor = 1) {
  return {statistic(above, factor), statistic(below)};
}

struct Question {
  const char* name;
  RatioForm form;
  std::vector<Int128> exact;
  std::vector<StatisticNoise> noise;
};

double exact_answer(const Question& of) {
  double above = of.form.above.constant, below = of.form.below.constant;
  for (std::size_t i = 0; i < of.exact.size(); ++i) {
    above += factor_of(of.form.above, i) * static_cast<double>(of.exact[i]);
    below += factor_of(of.form.below, i) * static_cast<double>(of.exact[i]);
  }
  return above / below;
}

class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}

  std::vector<Int128> noisy(const Question& of) {
    std::vector<Int128> made;
    std::vector<double> drawn;
    for (const StatisticNoise& noise : of.noise) {
      drawn.push_back(noise.law.family == Family::gaussian ? noise.law.scale * normal_(random_)
                                                           : signed_exponential(noise.law.scale));
    }
    for (std::size_t i = 0; i < of.noise.size(); ++i) {
      const StatisticNoise& values = of.noise[i];
      if (values.weight <= 0) continue;  // the rows' noise is its own rest, and a part of this
      auto& rows = drawn[static_cast<std::size_t>(values.rows)];
      rows = std::sqrt(1 - values.weight * values.weight) * rows + values.weight * drawn[i];
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      made.push_back(of.exact[i] + static_cast<Int128>(std::nearbyint(drawn[i])));
    }
    return made;
  }

 private:
  double signed_exponential(double scale) {
    const double size = std::exponential_distribution(1 / scale)(random_);
    return std::bernoulli_distribution(.5)(random_) ? size : -size;
  }
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

// A percentage, a weighted mean, a difference of sums, and a mean about its origin; of many rows
// and of few.
std::vector<Question> questions() {
  const std::vector<StatisticNoise> two = {gaussian(30), gaussian(20)};
  const RatioForm mean = {{0, {1000, .5}}, statistic(0)};
  std::vector<Question> made = {
      {"percentage", ratio(0, 1, 100), {800, 4000}, two},
      {"percentage of few", ratio(0, 1, 100), {10, 90}, two},
      {"percentage of next to nobody", ratio(0, 1, 100), {3, 25}, two},
      {"weighted mean", ratio(0, 1, .25), {-1'000'000, 40'000}, {gaussian(9000), gaussian(800)}},
      {"difference", {statistic(0, 2) + statistic(1, -3), {1}}, {500, 300}, two},
      {"mean", mean, {700, -80'000}, {gaussian(25), gaussian(4000)}},
      {"Laplace", ratio(0, 1, 100), {500, 2000}, {laplace(20), laplace(20)}},
      {"both families", ratio(0, 1), {500, 2000}, {laplace(20), gaussian(40)}},
      {"a combined answer", ratio(0, 1), {500, 2000}, {gaussian(20, 2), gaussian(40, 2)}},
  };
  Question shared = {"shared noise", ratio(1, 0), {2000, 1500}, two};
  shared.noise[1].rows = 0;
  shared.noise[1].weight = .6;
  made.push_back(shared);
  return made;
}

TEST(RatioIntervals, HoldTheExactRatioWithTheirLevel) {
  constexpr int kDraws = 4000;
  for (const double level : {.95, .8}) {
    unsigned seed = 7;
    for (const Question& of : questions()) {
      Draws draws(seed++);
      const RatioReach reach = ratio_reach(of.form, of.noise, level);
      const double exact = exact_answer(of);
      int held = 0;
      for (int i = 0; i < kDraws; ++i) {
        const std::vector<Int128> noisy = draws.noisy(of);
        const NoiseInterval interval = ratio_interval(of.form, noisy, reach);
        held += interval.low <= exact && exact <= interval.high;
        const double released = exact_answer({of.name, of.form, noisy, of.noise});
        ASSERT_LE(interval.low, released) << of.name;
        ASSERT_GE(interval.high, released) << of.name;
      }
      const double share = static_cast<double>(held) / kDraws;
      const double off = 6 * std::sqrt(level * (1 - level) / kDraws);
      EXPECT_GE(share, level - off) << of.name;
      // Of normal noise the level is kept closely: the intervals are no wider than they must be.
      const bool close = of.noise[0].law.family == Family::gaussian && of.noise[0].draws == 1 &&
                         of.noise[1].law.family == Family::gaussian && of.noise[1].weight == 0 &&
                         of.exact[1] != 25;  // there they are every number now and then
      if (close) {
        EXPECT_LE(share, level + off + .01) << of.name;
      }
    }
  }
}

TEST(RatioIntervals, AreEveryNumberWhereTheDivisorMayBeNothing) {
  const std::vector<StatisticNoise> noise = {gaussian(30), gaussian(20)};
  const RatioForm form = ratio(0, 1);
  const RatioReach reach = ratio_reach(form, noise, .95);
  for (const Int128 below : {Int128{0}, Int128{39}, Int128{-39}}) {
    const NoiseInterval interval = ratio_interval(form, std::vector<Int128>{100, below}, reach);
    EXPECT_EQ(-interval.low, std::numeric_limits<double>::infinity());
    EXPECT_EQ(interval.high, std::numeric_limits<double>::infinity());
  }
  const NoiseInterval known = ratio_interval(form, std::vector<Int128>{100, 41}, reach);
  EXPECT_TRUE(std::isfinite(known.low) && std::isfinite(known.high));
  const NoiseInterval zero = ratio_interval(form, std::vector<Int128>{0, 1000}, reach);
  EXPECT_NEAR(zero.low, -zero.high, 1e-12);
  EXPECT_NEAR(zero.high, .0590, .0005);  // 1.96 * 30 / 1000, and the rounding
}

TEST(RatioIntervals, FormsAreThoseOfTheirAlgebra) {
  const RatioForm a = {statistic(0), {1}}, b = {statistic(1), {1}}, share = ratio(0, 1);
  const std::vector<Int128> at = {6, 4};
  const auto value = [&](const std::optional<RatioForm>& of) {
    return of ? exact_answer({"", *of, at, {}}) : std::nan("");
  };
  EXPECT_EQ(value(sum_of(a, b)), 10);
  EXPECT_EQ(value(sum_of(share, constant_ratio(1))), 2.5);
  EXPECT_EQ(value(sum_of(share, ratio(1, 1))), 2.5);
  EXPECT_EQ(value(product_of(share, constant_ratio(100))), 150);
  EXPECT_EQ(value(quotient_of(constant_ratio(12), a)), 2);
  EXPECT_EQ(value(quotient_of(share, constant_ratio(3))), .5);
  EXPECT_FALSE(product_of(a, b));
  EXPECT_FALSE(sum_of(share, ratio(1, 0)));
  EXPECT_EQ(statistics_in(share), 2);
  EXPECT_EQ(statistics_in(constant_ratio(3)), 0);
}

TEST(RatioIntervals, SlackWidensThem) {
  const std::vector<StatisticNoise> noise = {gaussian(30), gaussian(20)};
  RatioForm form = ratio(0, 1);
  const RatioReach reach = ratio_reach(form, noise, .95);
  const std::vector<Int128> noisy = {500, 2000};
  const NoiseInterval plain = ratio_interval(form, noisy, reach);
  const NoiseInterval loose = ratio_interval(form, noisy, reach, std::vector<double>{10, 0});
  form.above.slack = 10;
  const NoiseInterval rounded = ratio_interval(form, noisy, reach);
  for (const NoiseInterval& wide : {loose, rounded}) {
    EXPECT_NEAR(wide.high - plain.high, 10 / 2000., .0005);
    EXPECT_NEAR(plain.low - wide.low, 10 / 2000., .0005);
  }
}

TEST(RatioIntervals, ALevelOutOfRangeIsRefused) {
  const std::vector<StatisticNoise> noise = {gaussian(30), gaussian(20)};
  EXPECT_THROW((void)ratio_reach(ratio(0, 1), noise, 1), Error);
}

}  // namespace
}  // namespace dpmix
