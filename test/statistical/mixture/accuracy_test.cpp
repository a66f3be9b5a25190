// Median divergence of released mixtures from the plain fit, on the tables of the published
// experiments: staged releases must meet their bars, one-shot ones beat iid Gaussian noise with
// honest sensitivities. DPMIX_SOAK=1 prints the settings of docs/proofs/mixture_one_shot.md and
// mixture_staged.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/published/baselines.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/published_rows.hpp"

namespace dpmix::test {
namespace {

struct Divergence {
  double forward, reverse;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Divergence divergence(const std::vector<Table>& tables, int releases, double epsilon,
                      Adjacency adjacency, CovarianceShape shape, GmmObjective objective) {
  const double mu = gdp_mu(epsilon, 1e-5);
  std::vector<double> forward, reverse;
  std::uint64_t seed = 1000000;
  for (const Table& table : tables) {
    const GaussianMixture fit = plain_fit(table);
    std::vector<int> same(fit.components.size());
    std::iota(same.begin(), same.end(), 0);
    for (int n = 0; n < releases; ++n) {
      const GaussianMixture released =
          private_fit(table, mu, ++seed, adjacency, shape, objective).mixture;
      forward.push_back(gmm_kl(released, fit, same));
      reverse.push_back(gmm_kl(fit, released, same));
    }
  }
  return {median(forward), median(reverse)};
}

std::vector<Table> simulated_tables(int features, int rows) {
  std::mt19937_64 random(20260);  // not the tables that the model was tuned on
  std::vector<Table> tables;
  for (int n = 0; n < 60; ++n) tables.push_back(simulated_table(random, 5, features, rows));
  return tables;
}

// The notes' box: three standard deviations about the mean.
Table iris_in_three_deviations() {
  Table table = iris();
  for (std::size_t i = 0; i < 4; ++i) {
    double mean = 0, square = 0;
    for (const auto& x : table.row) mean += x[i] / 150;
    for (const auto& x : table.row) square += (x[i] - mean) * (x[i] - mean) / 149;
    table.lower[i] = mean - 3 * std::sqrt(square);
    table.upper[i] = mean + 3 * std::sqrt(square);
  }
  return table;
}

// Tables and noise have fixed seeds, so this is no matter of chance.
TEST(GmmAccuracy, BeatsIndependentNoise) {
  struct Setting {
    int features, rows;
    double epsilon;
  };
  for (const Setting s :
       {Setting{3, 1000, 1}, {3, 1000, 4}, {3, 10000, 1}, {3, 10000, 4}, {10, 10000, 1}}) {
    const std::vector<Table> tables = simulated_tables(s.features, s.rows);
    RandomStream random(key_of(7));
    std::vector<double> baseline;
    for (const Table& table : tables) {
      const GaussianMixture noisy = iid_gaussian(random, labelled_rows(table), table.lower,
                                                 table.upper, gdp_mu(s.epsilon, 1e-5));
      baseline.push_back(gmm_kl(noisy, plain_fit(table), {0, 1, 2, 3, 4}));
    }
    const double kl = divergence(tables, 1, s.epsilon, Adjacency::add_remove, CovarianceShape::full,
                                 GmmObjective::balanced)
                          .forward;
    std::printf("d=%d N=%d epsilon=%g: median KL %.3g, iid Gaussian %.3g\n", s.features, s.rows,
                s.epsilon, kl, median(baseline));
    EXPECT_LT(kl, median(baseline));
  }
}

// A median and the order statistics that hold it with 95%.
struct Median {
  double value, low, high;
};

Median median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  // The median is below the (k + 1)th of n with P(Binomial(n, 1/2) <= k).
  const auto low = static_cast<std::size_t>(
      std::max(quantile(boost::math::binomial_distribution<>(n, .5), .025), 0.));
  return {values[values.size() / 2], values[low], values[values.size() - 1 - low]};
}

struct Accuracy {
  Median forward, balanced_forward, balanced_reverse;
};

// Fresh noise for every release; either objective makes its mixture of the same release.
Accuracy accuracy(const std::vector<Table>& tables, int releases, double epsilon,
                  Adjacency adjacency) {
  const double mu = gdp_mu(epsilon, 1e-5);
  std::vector<double> forward, balanced_forward, balanced_reverse;
  std::uint64_t seed = 9000000;
  for (const Table& table : tables) {
    const GaussianMixture plain = plain_fit(table);
    std::vector<int> same(plain.components.size());
    std::iota(same.begin(), same.end(), 0);
    for (int n = 0; n < releases; ++n) {
      const auto mechanism = start_gmm(request_of(table, mu, adjacency));
      RandomStream random(key_of(++seed));
      run(*mechanism, random, table);
      const GaussianMixture balanced = mechanism->fit(GmmObjective::balanced).mixture;
      forward.push_back(gmm_kl(mechanism->fit(GmmObjective::forward_kl).mixture, plain, same));
      balanced_forward.push_back(gmm_kl(balanced, plain, same));
      balanced_reverse.push_back(gmm_kl(plain, balanced, same));
    }
  }
  return {median_of(forward), median_of(balanced_forward), median_of(balanced_reverse)};
}

struct Setting {
  const char* name;
  int features, rows;  // rows 0: Iris
  double epsilon;
  double add_remove, replace;  // what the median of forward_kl must not exceed
  double reverse;              // of balanced under add_remove; 0: no bar
};
constexpr Setting kSettings[] = {
    {"d=3 N=1e3 ε=1", 3, 1000, 1, 3, 8, .9},
    {"d=3 N=1e3 ε=4", 3, 1000, 4, .15, .4, .07},
    {"d=3 N=1e4 ε=1", 3, 10000, 1, .006, .03, 0},
    {"d=3 N=1e5 ε=1", 3, 100000, 1, 1.5e-4, 2.5e-4, 0},
    {"d=10 N=1e4 ε=1", 10, 10000, 1, .8, 2.5, 0},
    {"Iris ε=4", 4, 0, 4, 2.3, 7, 0},
};

// The tables of notes and issue: staged releases, the best method for labelled rows. Tables and
// noise have fixed seeds; DPMIX_SOAK=1 takes as many tables as the figures of
// docs/proofs/mixture_staged.md and prints them.
TEST(GmmAccuracy, StagedMeetsTheBars) {
  const bool soak = std::getenv("DPMIX_SOAK") != nullptr;
  if (soak) {
    std::printf(
        "| setting | adjacency | bar | forward_kl: forward | balanced: forward | reverse |\n"
        "|---|---|---|---|---|---|\n");
  }
  for (const Setting& s : kSettings) {
    std::vector<Table> tables;
    int releases = 1;
    if (s.rows == 0) {
      tables = {iris_in_three_deviations()};
      releases = soak ? 400 : 100;
    } else {
      std::mt19937_64 random(909090);  // not the tables that constants were chosen on
      const int wanted = s.rows > 10000 ? (soak ? 100 : 20) : (soak ? 400 : 80);
      for (int n = 0; n < wanted; ++n) {
        tables.push_back(simulated_table(random, 5, s.features, s.rows));
      }
    }
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      const Accuracy found = accuracy(tables, releases, s.epsilon, adjacency);
      const double bar = adjacency == Adjacency::replace ? s.replace : s.add_remove;
      if (soak) {
        const auto text = [](const Median& m) {
          char line[100];
          std::snprintf(line, sizeof line, "%.3g (%.2g to %.2g)", m.value, m.low, m.high);
          return std::string(line);
        };
        std::printf("| %s | %s | %.2g | %s | %s | %s |\n", s.name, name(adjacency).data(), bar,
                    text(found.forward).c_str(), text(found.balanced_forward).c_str(),
                    text(found.balanced_reverse).c_str());
        std::fflush(stdout);
      }
      EXPECT_LE(found.forward.value, bar) << s.name << ", " << name(adjacency);
      EXPECT_LE(found.balanced_forward.value, 2.2 * bar) << s.name << ", " << name(adjacency);
      if (s.reverse > 0 && adjacency == Adjacency::add_remove) {
        EXPECT_LE(found.balanced_reverse.value, s.reverse) << s.name;
      }
    }
  }
}

TEST(GmmAccuracy, OneShotTable) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  const auto report = [](const char* name, const std::vector<Table>& tables, int releases) {
    for (const double epsilon : {1., 4.}) {
      std::printf("| %s ε=%g |", name, epsilon);
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        for (const GmmObjective objective : {GmmObjective::balanced, GmmObjective::forward_kl}) {
          const Divergence d =
              divergence(tables, releases, epsilon, adjacency, CovarianceShape::full, objective);
          std::printf(" %.2g / %.2g |", d.forward, d.reverse);
        }
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  };
  report("d=3 N=1e3", simulated_tables(3, 1000), 1);
  report("d=3 N=1e4", simulated_tables(3, 10000), 1);
  report("d=3 N=1e5", simulated_tables(3, 100000), 1);
  report("d=10 N=1e4", simulated_tables(10, 10000), 1);
  report("Iris ±3 sd", {iris_in_three_deviations()}, 200);
  report("Iris, declared bounds", {iris()}, 200);
}

}  // namespace
}  // namespace dpmix::test
