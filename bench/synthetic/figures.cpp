// What synthetic tables are good for, over the order of mixture and over epsilon:
//   figures [trials in percent] [sweep, or all] [folder of IDX files] >
//   bench/synthetic/accuracy.csv
//
// Leaves lines "sweep,epsilon,mix,method,measure,trials,mean,stderr". Sweep `sigma`: the noise on
// the mean of `mix` records of norm at most 1, at the sizes of the published table. The others
// (bench/synthetic/tasks.hpp) are tables: rows are made from some of their records, as many as
// these, and judged by held-out ones (test/tables/synthetic_tables.hpp). Measures: accuracy; means,
// deviations, correlations of the classes beside those of the records
// (test/tables/synthetic_measures.hpp). Methods: raw, per_class, tied (dpmix.cda with that demix),
// the same with "auto" (mix chosen; `mix` is what was chosen, on average), published (that sampler
// and that noise: without a guarantee), gmm (release_gmm, sample), real (the records
// themselves). delta = 1e-5, add_remove.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "../published/cda.hpp"
#include "core/base/error.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "tasks.hpp"

namespace dpmix::test {
namespace {

constexpr double kDelta = 1e-5;
constexpr double kEpsilons[] = {1, 2, 5, 10, 20};
constexpr int kMixes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

struct DemixName {
  Demix demix;
  const char *name, *chosen;
};
constexpr DemixName kDemixes[] = {{Demix::none, "raw", "raw auto"},
                                  {Demix::per_class, "per_class", "per_class auto"},
                                  {Demix::tied, "tied", "tied auto"}};

struct Mean {
  int n = 0;
  double sum = 0, squares = 0;
  void add(double x) { ++n, sum += x, squares += x * x; }
  double mean() const { return sum / n; }
  double stderror() const {
    return n < 2 ? 0 : std::sqrt(std::max(0., squares - sum * sum / n) / (n - 1.) / n);
  }
};

// The lines of one sweep and epsilon.
class Tally {
 public:
  void judge(const std::string& method, int mix, const Task& task, const LabelledTable& rows) {
    add(method, mix, "accuracy", class_gaussian_accuracy(rows, task.held_out));
    const ClassDistance far = distance(rows, task.records);
    add(method, mix, "means", far.means);
    add(method, mix, "deviations", far.deviations);
    add(method, mix, "correlations", far.correlations);
  }
  void chosen(const std::string& method, double mix) { chosen_[method].add(mix); }
  void print(const char* sweep, double epsilon) const {
    for (const auto& [key, values] : values_) {
      const auto& [method, mix, measure] = key;
      const auto by = chosen_.find(method);
      std::printf("%s,%g,%.4g,%s,%s,%d,%.5g,%.2g\n", sweep, epsilon,
                  by == chosen_.end() ? mix : by->second.mean(), method.c_str(), measure.c_str(),
                  values.n, values.mean(), values.stderror());
    }
    std::fflush(stdout);
  }

 private:
  void add(const std::string& method, int mix, const char* measure, double value) {
    values_[{method, mix, measure}].add(value);
  }
  std::map<std::tuple<std::string, int, std::string>, Mean> values_;
  std::map<std::string, Mean> chosen_;
};

std::int64_t rows_of(const LabelledTable& table) {
  std::int64_t rows = 0;
  for (const auto& x : table.classes) rows += x.cols();
  return rows;
}

struct Sweep {
  const char* name;
  int trials;
  std::function<Task(unsigned seed)> task;
};

void try_all(const Sweep& sweep, double epsilon, double percent) {
  const auto begin = std::chrono::steady_clock::now();
  const int trials = std::max(1, static_cast<int>(sweep.trials * percent / 100));
  Tally tally;
  for (int t = 0; t < trials; ++t) {
    const auto seed = static_cast<unsigned>(t * 1000 + epsilon * 10);
    RandomStream random(key_of(seed));
    const Task task = sweep.task(static_cast<unsigned>(t) + 1);
    const std::int64_t rows = rows_of(task.records);
    tally.judge("real", 0, task, task.records);
    try {
      tally.judge("gmm", 0, task, sampled(task.records, epsilon, kDelta, rows, seed));
    } catch (const Error& error) {  // too many features
      if (t == 0) std::fprintf(stderr, "%s: no gmm: %s\n", sweep.name, error.what());
    }
    std::vector<MixedClass> classes;
    for (const int mix : kMixes) {
      // Demixing comes after the noise: one mixture for all three.
      const LabelledTable raw =
          mixed(task.records, plan_of(task.records, rows, epsilon, kDelta, mix, Demix::none),
                random, classes);
      for (const auto& [demix, name, chosen] : kDemixes) {
        tally.judge(name, mix, task, clamped(demixed(raw, classes, demix)));
      }
      const auto published =
          published_table(task.records, sweep.name, epsilon, mix, rows, seed + 1);
      if (published) tally.judge("published", mix, task, *published);
    }
    for (const auto& [demix, name, chosen] : kDemixes) {
      const LabelledTable raw = mixed(
          task.records, plan_of(task.records, rows, epsilon, kDelta, 0, demix), random, classes);
      for (const MixedClass& c : classes) tally.chosen(chosen, c.mix);
      tally.judge(chosen, 0, task, clamped(demixed(raw, classes, demix)));
    }
  }
  tally.print(sweep.name, epsilon);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%s %g: %d trials, %.1f s\n", sweep.name, epsilon, trials, spent.count());
}

// Ten classes of 6000 records and rows, as in the published table.
void print_sigma() {
  for (const double epsilon : kEpsilons) {
    for (const int mix : kMixes) {
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        const CdaRequest request = {.classes = 10,
                                    .norm = half_steps,
                                    .rows = 60000,
                                    .epsilon = epsilon,
                                    .delta = kDelta,
                                    .adjacency = adjacency,
                                    .accounting = {},
                                    .mix = mix,
                                    .demix = Demix::none,
                                    .class_rows = ClassRows::balanced};
        const std::vector<std::int64_t> counts(10, 6000);
        const double sigma = plan_classes(plan_cda(request), counts)[0].noise();
        std::printf("sigma,%g,%d,%s,sigma,1,%.4g,0\n", epsilon, mix,
                    adjacency == Adjacency::replace ? "replace" : "add_remove", sigma);
      }
    }
  }
}

}  // namespace
}  // namespace dpmix::test

int main(int argc, char** argv) try {
  using namespace dpmix::test;
  const double percent = argc > 1 ? std::atof(argv[1]) : 100;
  const std::string only = argc > 2 ? argv[2] : "all";
  const auto wanted = [&](const char* sweep) { return only == "all" || only == sweep; };
  std::vector<Sweep> sweeps = {
      {"iris", 20, [](unsigned seed) { return split(iris(), 100, seed); }},
      {"cps", 10, [all = cps_wages()](unsigned seed) { return split(all, 22524, seed); }},
      {"generated", 10,
       [](unsigned seed) {
         const GaussianClasses law(16, 26, .12, seed);
         return Task{law.draw(20000, 2 * seed), law.draw(5000, 2 * seed + 1)};
       }},
  };
  if (argc > 3) {
    sweeps.push_back({"images", 1, [task = image_task(argv[3])](unsigned) { return task; }});
  }
  std::printf("sweep,epsilon,mix,method,measure,trials,mean,stderr\n");
  if (wanted("sigma")) print_sigma();
  for (const Sweep& sweep : sweeps) {
    if (!wanted(sweep.name)) continue;
    for (const double epsilon : kEpsilons) try_all(sweep, epsilon, percent);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
