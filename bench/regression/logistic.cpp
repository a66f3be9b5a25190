// Logistic regressions of the wage table (is a wage above 600?): how often noise intervals hold,
// errors of the coefficients beside their sampling error, and how often the noise hid the
// intervals.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/normal_reach.hpp"
#include "tables/logistic_tables.hpp"
#include "tables/wage_regression.hpp"

using namespace dpmix;
using namespace dpmix::test;

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 200;
  const WageRegression wages = high_wages();
  const MomentTotals totals = totals_of(wages.design, 1, wages.rows);
  const auto coded = coded_rows(wages.design, wages.rows);
  RandomStream random({static_cast<std::uint8_t>(1)});
  const auto released = [&](double epsilon) {
    const LogisticPlan plan = plan_logistic(
        {.norm2 = wages.design.norm2(), .epsilon = epsilon, .delta = 1e-6}, wages.design.frame(1));
    return logistic_release(random, totals, coded, plan).result();
  };
  const auto units = [&](const LinearFit& fit) {
    return coefficients_of(fit, wages.design, RegressionKind::logistic);
  };
  const std::vector<Coefficient> exact = units(released(1e7));
  for (const double epsilon : {.25, .5, 1., 2., 4., 8.}) {
    std::vector<double> held(exact.size()), error(exact.size());
    std::vector<int> given(exact.size());
    for (int run = 0; run < runs; ++run) {
      const LinearFit fit = released(epsilon);
      const std::vector<Coefficient> noisy = units(fit);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const double off = noisy[i].estimate - exact[i].estimate;
        given[i] += std::isnan(noisy[i].stddev) ? 0 : 1;
        held[i] += std::fabs(off) <= normal_reach(.95) * noisy[i].noise_stddev ? 1 : 0;
        error[i] += off * off / runs;
      }
    }
    std::printf("epsilon %g, %d releases, of which have intervals\n  given:      ", epsilon, runs);
    for (const int g : given) std::printf(" %7.2f", g / static_cast<double>(runs));
    std::printf("\n  hold:       ");
    for (std::size_t i = 0; i < held.size(); ++i) {
      std::printf(" %7.3f", held[i] / std::max(given[i], 1));
    }
    std::printf("\n  rmse / s.e.:");
    for (std::size_t i = 0; i < error.size(); ++i) {
      std::printf(" %7.2f", std::sqrt(error[i]) / exact[i].stddev);
    }
    std::printf("\n");
  }
}
