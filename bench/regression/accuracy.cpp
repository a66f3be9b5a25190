// Regressions of the wage table: how often intervals hold, errors of the coefficients beside their
// sampling error, and how often a ridge was needed.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/normal_reach.hpp"
#include "core/regression/linear_fit.hpp"
#include "tables/wage_regression.hpp"

using namespace dpmix;
using namespace dpmix::test;

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1000;
  const WageRegression wages = wage_regression();
  const MomentTotals totals = totals_of(wages.design, 1, wages.rows);
  RandomStream random({static_cast<std::uint8_t>(1)});
  const auto released = [&](double epsilon) {
    const RegressionPlan plan = plan_regression(
        {.norm2 = wages.design.norm2(), .epsilon = epsilon, .delta = 1e-6}, wages.design.frame(1));
    return fit_linear(noisy_gram(random, &totals.classes[0], wages.design.columns() + 1, plan),
                      plan);
  };
  const LinearFit exact = released(1e7);
  const std::vector<Coefficient> of_rows = coefficients_of(exact, wages.design);
  const std::size_t p = of_rows.size();
  for (const double epsilon : {.1, .25, .5, 1., 2.}) {
    std::vector<double> held(p), coded(p), asked(p);
    int ridged = 0;
    for (int run = 0; run < runs; ++run) {
      const LinearFit fit = released(epsilon);
      ridged += fit.ridge > 0 ? 1 : 0;
      const std::vector<Coefficient> noisy = coefficients_of(fit, wages.design);
      for (std::size_t i = 0; i < p; ++i) {
        const double error = noisy[i].estimate - of_rows[i].estimate;
        held[i] += std::fabs(error) <= normal_reach(.95) * noisy[i].noise_stddev ? 1. / runs : 0;
        asked[i] += error * error / runs;
        const auto n = static_cast<Eigen::Index>(i);
        coded[i] += std::pow(fit.coefficients[n] - exact.coefficients[n], 2) / runs;
      }
    }
    const auto line = [&](const char* what, const auto& value) {
      std::printf("  %-42s", what);
      for (std::size_t i = 0; i < p; ++i) std::printf(" %8.3f", value(i));
      std::printf("\n");
    };
    std::printf("epsilon %g, %d releases, %d with a ridge\n", epsilon, runs, ridged);
    line("noise intervals that hold", [&](std::size_t i) { return held[i]; });
    line("rmse / sampling error",
         [&](std::size_t i) { return std::sqrt(asked[i]) / of_rows[i].stddev; });
    line("the same of coded coefficients", [&](std::size_t i) {
      const auto n = static_cast<Eigen::Index>(i);
      return std::sqrt(coded[i] / exact.covariance(n, n));
    });
  }
}
