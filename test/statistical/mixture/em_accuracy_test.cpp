// How much held-out log-likelihood a private mixture of unlabelled rows loses against a fit without
// privacy, and how often the right number of components is found. DPMIX_SOAK=1 prints the tables of
// docs/proofs/mixture_em.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/mixture/density.hpp"
#include "core/mixture/point_mixture.hpp"
#include "core/mixture/sampling.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {
namespace {

struct Truth {
  GaussianMixture mixture;
  double bound;  // of every feature
};

// The notes' set.
Truth well_separated() {
  return {{2,
           {{.5, 0, {-4, -2}, {1.5, .6, .6, 1}},
            {.3, 0, {3, -3}, {1, -.4, -.4, 1.2}},
            {.2, 0, {0, 4}, {2, .3, .3, .6}}}},
          10};
}

Truth overlapping() {
  return {{2, {{.6, 0, {-1, 0}, {1.5, .6, .6, 1}}, {.4, 0, {1.5, .5}, {1, -.4, -.4, 1.2}}}}, 10};
}

Truth one_component() {
  return {{2, {{1, 0, {-4, -2}, {1.5, .6, .6, 1}}}}, 10};
}

// Equal weights, otherwise as the tables of the published experiments.
Truth random_truth(int components, int features, std::mt19937_64& random) {
  Truth truth{{features, {}}, 10 + 3 * std::sqrt(features + 1.)};
  std::normal_distribution<double> normal;
  for (int k = 0; k < components; ++k) {
    GaussianMixture::Component c{1. / components, 0, {}, {}};
    for (int i = 0; i < features; ++i) {
      c.mean.push_back(std::uniform_real_distribution<double>(-10, 10)(random));
    }
    const Matrix a = Matrix::NullaryExpr(features, features + 1, [&] { return normal(random); });
    const Matrix covariance = a * a.transpose();
    c.covariance.assign(covariance.data(), covariance.data() + features * features);
    truth.mixture.components.push_back(std::move(c));
  }
  return truth;
}

Table draw(const Truth& truth, int rows, std::uint64_t seed) {
  GmmSampler sampler(truth.mixture);
  RandomStream random(key_of(seed));
  const auto d = static_cast<std::size_t>(truth.mixture.features);
  Table table{truth.mixture.features,
              static_cast<int>(truth.mixture.components.size()),
              std::vector<double>(d, -truth.bound),
              std::vector<double>(d, truth.bound),
              {},
              {}};
  for (int n = 0; n < rows; ++n) {
    table.row.emplace_back(d);
    table.label.push_back(sampler.draw(random, table.row.back().data()));
  }
  return table;
}

double mean_log_density(const GaussianMixture& mixture, const Table& table) {
  const MixtureDensity density(mixture);
  std::vector<double> of_components(density.components());
  double sum = 0;
  for (const auto& row : table.row) sum += density.log_densities(row.data(), of_components.data());
  return sum / static_cast<double>(table.row.size());
}

// The fit without privacy: EM on the rows, in high dimension with the help of the labels, since EM
// from a few random starts often fails there.
GaussianMixture reference_fit(const Table& table, std::uint64_t seed) {
  if (table.features > 3) return plain_fit(table);
  WeightedPoints points{table.features, {}, std::vector<double>(table.row.size(), 1)};
  for (const auto& row : table.row) {
    points.points.insert(points.points.end(), row.begin(), row.end());
  }
  RandomStream random(key_of(seed));
  return fit_points(points, table.classes, random, {3, 100, 0}).mixture;
}

// A table, rows held out, and what the fit without privacy gives them.
struct Trial {
  Table table;  // unlabelled
  Table held_out;
  int components;
  double reference;
};

Trial trial_of(const Truth& truth, int rows, std::uint64_t seed) {
  Trial trial{draw(truth, rows, seed), draw(truth, 10000, ~seed),
              static_cast<int>(truth.mixture.components.size()), 0};
  trial.reference = mean_log_density(reference_fit(trial.table, seed), trial.held_out);
  trial.table.classes = 1;
  std::fill(trial.table.label.begin(), trial.table.label.end(), 0);
  return trial;
}

GaussianMixture released(const Trial& trial, double epsilon, Adjacency adjacency, GmmMethod method,
                         std::optional<int> components, std::uint64_t seed) {
  GmmRequest request = request_of(trial.table, gdp_mu(epsilon, 1e-5), adjacency);
  request.classes = 0;
  request.method = method;
  request.components = components;
  return release(request, trial.table, seed).mixture;
}

struct Gap {
  double mean, error, median;
};

Gap gap(const std::vector<Trial>& trials, double epsilon, Adjacency adjacency,
        GmmMethod method = GmmMethod::em) {
  std::vector<double> gaps;
  std::uint64_t seed = 77;
  double sum = 0, squares = 0;
  for (const Trial& trial : trials) {
    const GaussianMixture mixture =
        released(trial, epsilon, adjacency, method, trial.components, ++seed);
    gaps.push_back(trial.reference - mean_log_density(mixture, trial.held_out));
    sum += gaps.back();
    squares += gaps.back() * gaps.back();
  }
  const auto n = static_cast<double>(gaps.size());
  std::sort(gaps.begin(), gaps.end());
  return {sum / n, std::sqrt(std::max(squares / n - sum * sum / n / n, 0.) / n),
          gaps[gaps.size() / 2]};
}

// Three heaps in equal parts along some features, each with uniform rows, and other features that
// tell nothing: nothing is normal. Bounds 0..100.
struct Heaps {
  struct Feature {
    double centres[3], half_width;
  };
  const char* name;
  int features;
  std::vector<std::pair<int, Feature>> telling;
  double lower, upper;  // of the even ones of the others, uniform
  double skewed;        // of the odd ones, exponential, cut off at 100: their mean; 0: uniform too
  double gap;           // what may be lost at epsilon 1, nats a row
};

std::vector<Heaps> all_heaps() {
  return {{"2 of 3", 3, {{0, {{10, 40, 70}, 4}}, {1, {{5, 25, 45}, 3}}}, 0, 50, 0, .001},
          {"2 of 5", 5, {{1, {{20, 75, 45}, 6}}, {3, {{70, 60, 20}, 5}}}, 0, 100, 0, .002},
          {"2 of 10", 10, {{2, {{20, 75, 45}, 6}}, {5, {{70, 60, 20}, 5}}}, 10, 90, 25, .01}};
}

Trial trial_of(const Heaps& heaps, int rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto table_of = [&](int n) {
    const auto d = static_cast<std::size_t>(heaps.features);
    Table table{heaps.features, 3, std::vector<double>(d, 0), std::vector<double>(d, 100), {}, {}};
    for (int i = 0; i < n; ++i) {
      std::vector<double> x;
      for (int f = 0; f < heaps.features; ++f) {
        x.push_back(heaps.skewed > 0 && f % 2
                        ? std::min(100., -heaps.skewed * std::log(uniform(1e-12, 1)))
                        : uniform(heaps.lower, heaps.upper));
      }
      for (const auto& [f, feature] : heaps.telling) {
        x[static_cast<std::size_t>(f)] =
            feature.centres[i % 3] + uniform(-feature.half_width, feature.half_width);
      }
      table.row.push_back(std::move(x));
      table.label.push_back(i % 3);
    }
    return table;
  };
  Trial trial{table_of(rows), table_of(10000), 3, 0};
  trial.reference = mean_log_density(plain_fit(trial.table), trial.held_out);
  trial.table.classes = 1;
  std::fill(trial.table.label.begin(), trial.table.label.end(), 0);
  return trial;
}

// Tables and noise have fixed seeds, so this is no matter of chance.
TEST(GmmEmAccuracy, LosesLittleWhereComponentsAreApart) {
  std::vector<Trial> trials;
  for (std::uint64_t n = 0; n < 10; ++n) {
    trials.push_back(trial_of(well_separated(), 10000, 9000 + n));
  }
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    for (const auto& [epsilon, bar] : {std::pair(1., .003), {4., .0005}}) {
      const Gap g = gap(trials, epsilon, adjacency);
      std::printf("%s epsilon=%g: mean gap %.5f +- %.5f\n", std::string(name(adjacency)).c_str(),
                  epsilon, g.mean, g.error);
      EXPECT_LT(g.mean, bar);
    }
  }
}

TEST(GmmEmAccuracy, FindsHowManyThereAre) {
  for (const auto& [truth, least] : {std::pair(well_separated(), 5), {one_component(), 5}}) {
    int right = 0;
    for (std::uint64_t n = 0; n < 6; ++n) {
      const Trial trial = trial_of(truth, 10000, 9100 + n);
      right += std::ssize(released(trial, 1, Adjacency::add_remove, GmmMethod::em, std::nullopt, n)
                              .components) == trial.components;
    }
    EXPECT_GE(right, least) << truth.mixture.components.size();
  }
}

// What users have: tables in which components are plain to see, but not normal.
TEST(GmmEmAccuracy, FindsHeapsThatAreNotNormal) {
  for (const Heaps& heaps : all_heaps()) {
    SCOPED_TRACE(heaps.name);
    std::vector<Trial> trials;
    int right = 0;
    for (std::uint64_t n = 0; n < 6; ++n) {
      trials.push_back(trial_of(heaps, 20000, 9200 + n));
      right += std::ssize(
                   released(trials.back(), 1, Adjacency::add_remove, GmmMethod::em, std::nullopt, n)
                       .components) == 3;
    }
    const Gap g = gap(trials, 1, Adjacency::add_remove);
    std::printf("%s: mean gap %.5f +- %.5f, 3 found in %d of 6\n", heaps.name, g.mean, g.error,
                right);
    EXPECT_LT(g.mean, heaps.gap);
    EXPECT_GE(right, 5);
  }
}

TEST(GmmEmAccuracy, Table) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  const auto report = [](const char* what, auto&& truth, int rows, int tables, GmmMethod method) {
    std::vector<Trial> trials;
    std::mt19937_64 random(4711);
    for (int n = 0; n < tables; ++n) {
      trials.push_back(trial_of(truth(random), rows, 70000 + static_cast<std::uint64_t>(n)));
    }
    std::printf("| %s |", what);
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (const double epsilon : {1., 4.}) {
        const Gap g = gap(trials, epsilon, adjacency, method);
        std::printf(" %.2g ± %.1g (%.2g) |", g.mean, g.error, g.median);
      }
    }
    std::printf("\n");
    std::fflush(stdout);
  };
  const auto fixed = [](Truth (*truth)()) { return [truth](std::mt19937_64&) { return truth(); }; };
  const auto any = [](int components, int features) {
    return [=](std::mt19937_64& random) { return random_truth(components, features, random); };
  };
  report("3 apart, d=2", fixed(well_separated), 10000, 60, GmmMethod::em);
  report("2 overlapping, d=2", fixed(overlapping), 10000, 60, GmmMethod::em);
  report("5 random, d=3", any(5, 3), 10000, 50, GmmMethod::em);
  report("5 random, d=10", any(5, 10), 10000, 50, GmmMethod::em);
  report("3 random, d=50, N=1e5", any(3, 50), 100000, 3, GmmMethod::em);
  report("3 apart, d=2, kmeans", fixed(well_separated), 10000, 60, GmmMethod::kmeans);
}

TEST(GmmEmAccuracy, Heaps) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  for (const Heaps& heaps : all_heaps()) {
    std::vector<Trial> trials;
    for (std::uint64_t n = 0; n < 50; ++n) trials.push_back(trial_of(heaps, 20000, 80000 + n));
    std::printf("| %s |", heaps.name);
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (const double epsilon : {1., 4.}) {
        const Gap g = gap(trials, epsilon, adjacency);
        int right = 0;
        for (std::uint64_t n = 0; n < trials.size(); ++n) {
          right += std::ssize(released(trials[n], epsilon, adjacency, GmmMethod::em, std::nullopt,
                                       1000 + n)
                                  .components) == 3;
        }
        std::printf(" %.2g ± %.1g (%.2g), %d |", g.mean, g.error, g.median, right);
      }
    }
    std::printf("\n");
  }
}

TEST(GmmEmAccuracy, NumberOfComponents) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  for (const auto& [what, truth] : {std::pair("3 apart", well_separated()),
                                    {"2 overlapping", overlapping()},
                                    {"1", one_component()}}) {
    for (const double epsilon : {1., 4.}) {
      std::vector<int> found(11);
      for (std::uint64_t n = 0; n < 50; ++n) {
        const Trial trial = trial_of(truth, 10000, 75000 + n);
        ++found[released(trial, epsilon, Adjacency::add_remove, GmmMethod::em, std::nullopt,
                         500 + n)
                    .components.size()];
      }
      std::printf("| %s ε=%g |", what, epsilon);
      for (std::size_t k = 1; k < found.size(); ++k) std::printf(" %d |", found[k]);
      std::printf("\n");
    }
  }
}

}  // namespace
}  // namespace dpmix::test
