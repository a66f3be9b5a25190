// The experiments of the published release of Gaussian mixtures (Liu, Scaglione, Peisert, section
// V, figures 1 to 7 and 14), with this extension's releases beside the published mechanism:
//   gmm_figures [trials in percent] [sweep, or all] [mechanism] > bench/mixture/accuracy.csv
//
// Leaves lines "sweep,x,mechanism,private,trials,median,low,high,mean,stderr": of the divergence
// KL(released || fitted) in nats over fresh tables and fresh noise; low and high bound the median
// with 95% confidence (fewer than six trials: the least and the largest), stderr is that of the
// mean. private: whether anybody proved the guarantee
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

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/published/baselines.hpp"
#include "tables/mixture_tables.hpp"

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
  std::uint64_t seed;
};

struct Released {
  GaussianMixture mixture;
  bool is_private;  // for the neighbours that the mechanism names
};

struct Mechanism {
  const char* name;
  // Throws Error where the mechanism is not defined.
  std::function<Released(const Trial&)> release;
  std::function<bool(const Setting&)> shown = [](const Setting&) { return true; };
};

Mechanism ours(const char* name, Adjacency adjacency) {
  Mechanism mechanism{
      name, [adjacency](const Trial& trial) {
        const double mu = gdp_mu(trial.setting.epsilon, kDelta);
        const GmmRequest request = request_of(trial.table, mu, adjacency);
        return Released{release(request, trial.table, trial.seed, GmmObjective::forward_kl).mixture,
                        true};
      }};
  // Where rows are what is protected, a guarantee for labels is no answer.
  if (adjacency == Adjacency::label) {
    mechanism.shown = [](const Setting& setting) { return setting.clip == 0; };
  }
  return mechanism;
}

LabelledRows labelled(const Table& table) {
  LabelledRows rows{table.features, table.classes, table.label, {}};
  for (const auto& row : table.row) rows.value.insert(rows.value.end(), row.begin(), row.end());
  return rows;
}

Mechanism others(PublishedMethod method) {
  Mechanism mechanism{name(method).data(), [method](const Trial& trial) {
                        PublishedRequest request;
                        request.method = method;
                        request.epsilon = trial.setting.epsilon;
                        request.delta = method == PublishedMethod::iid_laplace ? 0 : kDelta;
                        request.lower = trial.table.lower;
                        request.upper = trial.table.upper;
                        if (method == PublishedMethod::published && trial.setting.clip > 0) {
                          request.method = PublishedMethod::record;
                          request.clip = trial.setting.clip;
                        }
                        RandomStream random(key_of(trial.seed));
                        PublishedRelease made =
                            release_published(random, labelled(trial.table), request);
                        return Released{std::move(made.mixture), made.is_private};
                      }};
  // Another minute a trial, for divergences beyond all others.
  if (method == PublishedMethod::coloured_gaussian) {
    mechanism.shown = [](const Setting& setting) { return setting.features <= 20; };
  }
  return mechanism;
}

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all = {
      ours("staged, add_remove", Adjacency::add_remove),
      ours("staged, replace", Adjacency::replace),
      ours("label_only", Adjacency::label),
      others(PublishedMethod::published),
      others(PublishedMethod::iid_laplace),
      others(PublishedMethod::iid_gaussian),
      others(PublishedMethod::coloured_gaussian),
      others(PublishedMethod::r1smg),
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

void print(const Setting& setting, const Mechanism& mechanism, bool is_private,
           std::vector<double> kl) {
  if (kl.empty()) return;
  std::sort(kl.begin(), kl.end());
  const auto n = static_cast<double>(kl.size());
  const double mean = std::accumulate(kl.begin(), kl.end(), 0.) / n;
  double squares = 0;
  for (const double x : kl) squares += (x - mean) * (x - mean);
  // Order statistics that the median lies between with 95% confidence.
  const double reach = .98 * std::sqrt(n);
  std::printf("%s,%g,\"%s\",%s,%zu,%.4g,%.4g,%.4g,%.4g,%.4g\n", setting.sweep, setting.x,
              mechanism.name, is_private ? "yes" : "no", kl.size(),
              (at(kl, (n - 1) / 2) + at(kl, n / 2)) / 2, at(kl, std::floor(n / 2 - reach)),
              at(kl, std::ceil(n / 2 + reach)), mean, std::sqrt(squares / (n - 1) / n));
  std::fflush(stdout);
}

// only: the mechanism to run, NULL for all; which ones run changes no other's tables or noise.
void try_all(const Setting& setting, const char* only) {
  const auto begin = std::chrono::steady_clock::now();
  struct Tally {
    bool is_private = true;
    std::vector<double> kl;
  };
  std::vector<Tally> tallies(mechanisms().size());
  std::vector<int> same(static_cast<std::size_t>(setting.classes));
  std::iota(same.begin(), same.end(), 0);
  for (int t = 0; t < setting.trials; ++t) {
    std::mt19937_64 random(static_cast<std::uint64_t>(t) + 1000);
    const Table table = table_of(setting, random);
    const GaussianMixture fit = plain_fit(table);
    for (std::size_t m = 0; m < tallies.size(); ++m) {
      const Mechanism& mechanism = mechanisms()[m];
      if (!mechanism.shown(setting)) continue;
      if (only != nullptr && std::string(only) != mechanism.name) continue;
      try {
        const Released made =
            mechanism.release({setting, table, static_cast<std::uint64_t>(t) + 1});
        tallies[m].is_private = made.is_private;
        tallies[m].kl.push_back(gmm_kl(made.mixture, fit, same));
      } catch (const Error& error) {
        if (t == 0) {
          std::fprintf(stderr, "%s %g, %s: %s: %s\n", setting.sweep, setting.x, mechanism.name,
                       error.what(), error.detail.c_str());
        }
      }
    }
  }
  for (std::size_t m = 0; m < tallies.size(); ++m) {
    print(setting, mechanisms()[m], tallies[m].is_private, std::move(tallies[m].kl));
  }
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
    all.push_back(
        {.sweep = "rows", .x = 1. * rows, .rows = rows, .trials = rows > 10000 ? 20 : 100});
  }
  for (const int classes : {2, 3, 5, 7, 10, 15}) {  // figure 4
    all.push_back({.sweep = "classes", .x = 1. * classes, .classes = classes});
  }
  for (const int features : {2, 3, 4, 5, 6, 8, 10}) {  // figure 5
    all.push_back({.sweep = "features", .x = 1. * features, .features = features});
  }
  for (const int features : {10, 20, 30, 50, 70}) {  // figure 6
    all.push_back({.sweep = "many_features",
                   .x = 1. * features,
                   .features = features,
                   .trials = features > 20 ? 3 : 20});
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
    const std::string sweep = argc > 2 ? argv[2] : "all";
    if (sweep != "all" && sweep != setting.sweep) continue;
    setting.trials = std::max(3, static_cast<int>(setting.trials * percent / 100));
    dpmix::test::try_all(setting, argc > 3 ? argv[3] : nullptr);
  }
  return 0;
}
