#include "core/counter/factorisation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

// Measurements of blocks of these values, each entering at a step of its own.
std::vector<double> measure(const CounterFactorisation& counter, const std::vector<double>& value) {
  std::vector<double> measured(value.size());
  for (std::size_t t = 0; t < value.size(); ++t) {
    for (std::size_t b = 0; b <= t; ++b) {
      measured[t] += double(counter.weight(int(t - b))) / kCounterUnits * value[b];
    }
  }
  return measured;
}

TEST(CounterFactorisation, TotalsAndWindowsOfExactMeasurementsAreExact) {
  for (const int steps : {1, 2, 7, 365, 2000}) {
    const CounterFactorisation counter(steps);
    std::mt19937_64 random(static_cast<unsigned>(steps));
    std::vector<double> value(static_cast<std::size_t>(steps));
    for (double& v : value) v = double(random() % 1000);
    const std::vector<double> measured = measure(counter, value);
    for (int from = 0; from < steps; from += 1 + steps / 9) {
      double sum = 0;
      for (int to = from + 1; to <= steps; ++to) {
        sum += value[std::size_t(to - 1)];
        if (to % 37 == 0 || to == steps) {
          EXPECT_NEAR(counter.estimate(measured, from, to), sum, 1e-6 * (1 + sum));
        }
      }
    }
  }
}

// Prices and deviations of shared figures: oracle theory/counter.py of the same recurrences in
// numpy; the worst and the mean of a year.
TEST(CounterFactorisation, LifeAndWorstDeviation) {
  const struct {
    int steps;
    double life, worst;
  } known[] = {{30, 0, 2.15}, {365, 2.9412, 2.9507}, {1000, 0, 3.2890}, {3650, 0, 3.7394}};
  for (const auto& [steps, life, worst] : known) {
    const CounterFactorisation counter(steps);
    if (life > 0) {
      EXPECT_NEAR(counter.life(), life, 5e-5);
    }
    EXPECT_NEAR(std::sqrt(counter.life() * counter.variance(0, steps)), worst, 5e-3) << steps;
  }
  const CounterFactorisation year(365);
  double squares = 0;
  for (int t = 1; t <= 365; ++t) squares += year.life() * year.variance(0, t);
  EXPECT_NEAR(std::sqrt(squares / 365), 2.7827, 5e-5);
  EXPECT_NEAR(year.life_from(0), year.life(), 1e-12);
  EXPECT_NEAR(year.life_from(1), year.life() - 1, 1e-12);
}

TEST(CounterFactorisation, VarianceIsThatOfTheEstimate) {
  const CounterFactorisation counter(50);
  for (const auto& [from, to] : {std::pair{0, 50}, {10, 20}, {49, 50}}) {
    double squares = 0;
    for (std::size_t s = 0; s < 50; ++s) {
      std::vector<double> unit(50);
      unit[s] = 1;
      squares += std::pow(counter.estimate(unit, from, to), 2);
    }
    EXPECT_NEAR(counter.variance(from, to), squares, 1e-9 * squares);
  }
}

TEST(CounterFactorisation, RefusesStepsOutOfRange) {
  EXPECT_THROW(CounterFactorisation(0), Error);
  EXPECT_THROW(CounterFactorisation(kMostCounterSteps + 1), Error);
}

}  // namespace
}  // namespace dpmix
