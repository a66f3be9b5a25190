// What the figures of docs/guide/noise.md draw and bench/noise/grid.csv does not hold:
//   noise_curves > build/bench/noise_curves.csv
//
// Leaves lines "curve,epsilon,delta,family,x,y": curve density: x = z >= 0 in sensitivities, y =
// the mean density of the noise around z. Curve total_epsilon: x = answers, each with noise that is
// (epsilon, delta)-DP, y = the epsilon that all of them have together at delta kTotalDelta, the
// least over all Renyi orders (the ledger fixes one order, so it proves this at best); curve
// expected_abs: x = 1, y = E|Z| of each of those answers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/accounting/renyi_of_multi_gaussian.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/noise/calibration.hpp"

namespace dpmix {
namespace {

constexpr double kTotalDelta = 1e-6;

void print(const char* curve, double epsilon, double delta, Family family, double x, double y) {
  std::printf("%s,%g,%g,%s,%.6g,%.6g\n", curve, epsilon, delta, std::string(name(family)).c_str(),
              x, y);
}

void densities(double epsilon, double delta, double reach) {
  constexpr int kBins = 240;
  for (const Family family : kFamilies) {
    const NoiseLaw law = calibrate(family, epsilon, delta, 1).law;
    const double width = reach / kBins;
    for (int i = 0; i <= kBins; ++i) {
      const double z = i * width;
      // On the negative side the cdf is small and keeps its relative precision.
      const double mass = cdf(law, -z + width / 2) - cdf(law, -z - width / 2);
      print("density", epsilon, delta, family, z, mass / width);
    }
  }
}

// What one answer costs at an order: that of its (epsilon, delta), and its own curve if known.
std::vector<Cost> costs(const NoiseLaw& law, double order, double epsilon, double delta) {
  const Cost guarantee = renyi_of_guarantee(order, epsilon, is_pure(law.family) ? 0 : delta);
  switch (law.family) {
    case Family::gaussian:
      return {guarantee, renyi_of_gaussian(order, law.sensitivity / law.scale)};
    case Family::multi_gaussian:
      return {guarantee, renyi_of_multi_gaussian(order, law)};
    case Family::laplace:
      return {guarantee, renyi_of_geometric(order, epsilon, kFineLattice)};
    default:
      return {guarantee};
  }
}

constexpr std::array kComposed = {Family::gaussian, Family::multi_gaussian, Family::laplace,
                                  Family::staircase, Family::optimal};
constexpr std::array kAnswers = {1,  2,  3,   4,   5,   7,   10,  14,  20,  30,  40,
                                 50, 70, 100, 140, 200, 300, 400, 500, 700, 1000};

// For each of kAnswers, the least epsilon proved for so many answers with this noise.
std::array<double, kAnswers.size()> totals(const NoiseLaw& law, double epsilon, double delta) {
  std::array<double, kAnswers.size()> total;
  for (std::size_t i = 0; i < total.size(); ++i) {
    total[i] = kAnswers[i] * delta <= kTotalDelta ? kAnswers[i] * epsilon : HUGE_VAL;
  }
  for (double over = 1e-3; over < 1e4; over *= 1.1) {
    for (const Cost& one : costs(law, 1 + over, epsilon, delta)) {
      for (std::size_t i = 0; i < total.size(); ++i) {
        const double left = kTotalDelta - kAnswers[i] * one.added_delta;
        if (left <= 0) continue;
        total[i] = std::min(total[i], epsilon_of_renyi(1 + over, kAnswers[i] * one.amount, left));
      }
    }
  }
  return total;
}

void same_epsilon(double epsilon, double delta) {
  for (const Family family : kComposed) {
    const NoiseLaw law = calibrate(family, epsilon, delta, 1).law;
    print("expected_abs", epsilon, delta, family, 1, expected_abs(law));
    const auto total = totals(law, epsilon, delta);
    for (std::size_t i = 0; i < total.size(); ++i) {
      print("total_epsilon", epsilon, delta, family, kAnswers[i], total[i]);
    }
  }
}

void same_error(double error, double delta) {
  for (const Family family : kComposed) {
    double low = 1e-3, high = 30;  // E|Z| falls in epsilon
    while (high > low * 1.0001) {
      const double middle = std::sqrt(low * high);
      const NoiseLaw law = calibrate(family, middle, delta, 1).law;
      (expected_abs(law) > error ? low : high) = middle;
    }
    print("epsilon_of_error", error, delta, family, 1, high);
    const auto total = totals(calibrate(family, high, delta, 1).law, high, delta);
    for (std::size_t i = 0; i < total.size(); ++i) {
      print("total_at_error", error, delta, family, kAnswers[i], total[i]);
    }
  }
}

}  // namespace
}  // namespace dpmix

int main() {
  std::printf("curve,epsilon,delta,family,x,y\n");
  dpmix::densities(2, 1e-2, 4);
  dpmix::densities(.5, 1e-6, 40);
  for (const double epsilon : {.1, .5, 2.}) dpmix::same_epsilon(epsilon, 1e-10);
  for (const double error : {10., 2., .5}) dpmix::same_error(error, 1e-10);
  return 0;
}
