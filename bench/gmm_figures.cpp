// The experiments of the published release of Gaussian mixtures (Liu, Scaglione, Peisert, section
// V, figures 1 to 7 and 14), with this extension's releases beside the published mechanism:
//   gmm_figures [trials in percent] > bench/gmm.csv
//
// Leaves lines "sweep,x,mechanism,private,trials,median,low,high,mean,stderr": of the divergence
// KL(released || fitted) in nats over fresh tables and fresh noise; low and high bound the median
// with 95% confidence, stderr is that of the mean. private: whether anybody proved the guarantee
// that the mechanism claims; the guarantees differ by what neighbours differ in (bench/README.md).
// All mechanisms see the same tables. delta = 1e-5 throughout.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/mechanism/gaussian_dp.hpp"
#include "core/release/published_gmm.hpp"
#include "gmm_tables.hpp"

namespace dpmix::test {
namespace {

constexpr double kDelta = 1e-5;

// One point of a figure.
struct Setting {
  const char* sweep;
  double x;
  int rows = 1000, features = 3, classes = 5;
  double epsilon = 1;
  int trials = 100;
  double clip = 0;  // 0: rows are not clipped, neighbours differ as the mechanism says
};

struct Trial {
  const Setting& setting;
  const Table& table;
  const GaussianMixture& fit;
  std::uint64_t seed;
};

struct Mechanism {
  const char* name;
  bool is_private;
  // The released mixture. Throws Error where the mechanism is not defined.
  std::function<GaussianMixture(const Trial&)> release;
  std::function<bool(const Setting&)> shown = [](const Setting&) { return true; };
};

GaussianMixture ours(const Trial& trial, Adjacency adjacency) {
  const GmmRequest request =
      request_of(trial.table, gdp_mu(trial.setting.epsilon, kDelta), adjacency);
  return release(request, trial.table, trial.seed, GmmObjective::forward_kl).mixture;
}

LabelledRows labelled(const Table& table) {
  LabelledRows rows{table.features, table.classes, table.label, {}};
  for (const auto& row : table.row) rows.value.insert(rows.value.end(), row.begin(), row.end());
  return rows;
}

GaussianMixture published(const Trial& trial) {
  PublishedOptions options;
  if (trial.setting.clip > 0) {
    options.level = PublishedLevel::record;
    options.clip = trial.setting.clip;
  }
  RandomStream random(key_of(trial.seed));
  return draw_published(
      random, design_published(labelled(trial.table), trial.setting.epsilon, kDelta, options));
}

const std::vector<Mechanism>& mechanisms() {
  const auto rows_are_public_up_to_labels = [](const Setting& s) { return s.clip == 0; };
  static const std::vector<Mechanism> all = {
      {"staged, add_remove", true, [](const Trial& t) { return ours(t, Adjacency::add_remove); }},
      {"staged, replace", true, [](const Trial& t) { return ours(t, Adjacency::replace); }},
      {"label_only", true, [](const Trial& t) { return ours(t, Adjacency::label); },
       rows_are_public_up_to_labels},
      {"published", false, published},
  };
  return all;
}

// Rows with norms of at most B, in a box that says so.
Table clipped(Table table, double bound) {
  for (auto& row : table.row) {
    const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.));
    for (double& x : row) x *= std::min(1., bound / norm);
  }
  for (double& x : table.upper) x = std::min(x, bound);
  for (double& x : table.lower) x = std::max(x, -bound);
  return table;
}

// As the experiment has it: every feature with mean 0 and variance 1 (made from the rows, so
// neither it nor the box around it is private). Bounds -3 and 3.
Table normalised_iris() {
  Table table = iris();
  const auto n = static_cast<double>(table.row.size());
  for (std::size_t i = 0; i < table.lower.size(); ++i) {
    double sum = 0, squares = 0;
    for (const auto& row : table.row) sum += row[i];
    for (const auto& row : table.row) squares += (row[i] - sum / n) * (row[i] - sum / n);
    for (auto& row : table.row) row[i] = (row[i] - sum / n) / std::sqrt(squares / (n - 1));
    table.lower[i] = -3;
    table.upper[i] = 3;
  }
  return table;
}

Table table_of(const Setting& setting, std::mt19937_64& random) {
  if (std::string(setting.sweep) == "iris") return normalised_iris();
  const Table table = simulated_table(random, setting.classes, setting.features, setting.rows);
  return setting.clip > 0 ? clipped(table, setting.clip) : table;
}

double at(const std::vector<double>& sorted, double place) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::clamp(place, 0., last))];
}

void print(const Setting& setting, const Mechanism& mechanism, std::vector<double> kl) {
  if (kl.empty()) return;
  std::sort(kl.begin(), kl.end());
  const auto n = static_cast<double>(kl.size());
  const double mean = std::accumulate(kl.begin(), kl.end(), 0.) / n;
  double squares = 0;
  for (const double x : kl) squares += (x - mean) * (x - mean);
  // Order statistics that the median lies between with 95% confidence.
  const double reach = .98 * std::sqrt(n);
  std::printf("%s,%g,\"%s\",%s,%zu,%.4g,%.4g,%.4g,%.4g,%.4g\n", setting.sweep, setting.x,
              mechanism.name, mechanism.is_private ? "yes" : "no", kl.size(),
              (at(kl, (n - 1) / 2) + at(kl, n / 2)) / 2, at(kl, std::floor(n / 2 - reach)),
              at(kl, std::ceil(n / 2 + reach)), mean, std::sqrt(squares / (n - 1) / n));
  std::fflush(stdout);
}

void try_all(const Setting& setting) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> kl(mechanisms().size());
  std::vector<int> same(static_cast<std::size_t>(setting.classes));
  std::iota(same.begin(), same.end(), 0);
  for (int t = 0; t < setting.trials; ++t) {
    std::mt19937_64 random(static_cast<std::uint64_t>(t) + 1000);
    const Table table = table_of(setting, random);
    const GaussianMixture fit = plain_fit(table);
    for (std::size_t m = 0; m < mechanisms().size(); ++m) {
      const Mechanism& mechanism = mechanisms()[m];
      if (!mechanism.shown(setting)) continue;
      try {
        kl[m].push_back(
            gmm_kl(mechanism.release({setting, table, fit, static_cast<std::uint64_t>(t) + 1}), fit,
                   same));
      } catch (const Error& error) {
        if (t == 0) {
          std::fprintf(stderr, "%s %g, %s: %s: %s\n", setting.sweep, setting.x, mechanism.name,
                       error.what(), error.detail.c_str());
        }
      }
    }
  }
  for (std::size_t m = 0; m < kl.size(); ++m) print(setting, mechanisms()[m], std::move(kl[m]));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%s %g: %d trials, %.1f s\n", setting.sweep, setting.x, setting.trials,
               spent.count());
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const double epsilon : {.25, .5, 1., 2., 4., 8.}) {  // figures 1 and 2
    all.push_back({.sweep = "epsilon", .x = epsilon, .epsilon = epsilon, .trials = 200});
  }
  for (const int rows : {500, 1000, 2000, 5000, 10000, 30000, 100000}) {  // figure 3
    all.push_back({.sweep = "rows",
                   .x = 1. * rows,
                   .rows = rows,
                   .trials = rows > 10000  ? 10
                             : rows > 2000 ? 30
                                           : 100});
  }
  for (const int classes : {2, 3, 5, 7, 10, 15}) {  // figure 4
    all.push_back({.sweep = "classes", .x = 1. * classes, .classes = classes});
  }
  for (const int features : {2, 3, 4, 5, 6, 8, 10}) {  // figure 5
    all.push_back({.sweep = "features", .x = 1. * features, .features = features, .trials = 60});
  }
  for (const int features : {10, 20, 30, 50, 70}) {  // figure 6
    all.push_back({.sweep = "many_features",
                   .x = 1. * features,
                   .features = features,
                   .trials = features > 30 ? 5 : 10});
  }
  for (const double epsilon : {.5, 1., 2., 4., 8.}) {  // figure 7
    all.push_back({.sweep = "iris",
                   .x = epsilon,
                   .rows = 150,
                   .features = 4,
                   .classes = 3,
                   .epsilon = epsilon});
  }
  for (const double clip : {3., 5., 10., 15., 20., 30.}) {  // figure 14
    all.push_back({.sweep = "clip", .x = clip, .clip = clip});
  }
  return all;
}

}  // namespace
}  // namespace dpmix::test

int main(int argc, char** argv) {
  const double percent = argc > 1 ? std::atof(argv[1]) : 100;
  std::printf("sweep,x,mechanism,private,trials,median,low,high,mean,stderr\n");
  for (dpmix::test::Setting setting : dpmix::test::settings()) {
    setting.trials = std::max(3, static_cast<int>(setting.trials * percent / 100));
    dpmix::test::try_all(setting);
  }
  return 0;
}
