// Errors of quantiles: the method that dpmix picks over the better of both, drawn cells and a tree
// of noisy counts, over shapes of data that bounds fit or do not.
//
//   make build/bench/query/quantiles && build/bench/query/quantiles [trials]
//
// A line for each number of rows, epsilon, kind of noise and number of quantiles: the geometric
// mean over the shapes of ours / better, the largest, which method is ours, and what it would be
// had the other one been picked. Errors are mean absolute distances to the exact quantiles.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "core/noise/sampler.hpp"
#include "core/query/draw_plan.hpp"
#include "core/query/plan.hpp"

namespace dpmix {
namespace {

constexpr int kFine = TreeShape::fine_cells;

double place(int shape, std::mt19937_64& random) {  // in [0, 1)
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  switch (shape) {
    case 0:
      return uniform(random);
    case 1:
      return .5 + normal(random) / 10;
    case 2:
      return std::exp(normal(random)) / 20;
    case 3:
      return -std::log(1 - uniform(random)) / 8;
    case 4:
      return (random() % 3 == 0 ? .2 : .7) + normal(random) / 25;
    case 5:  // heaps: two thirds at fiftieths
      return random() % 3 == 0 ? uniform(random)
                               : std::floor(50 * (.4 + normal(random) / 8)) / 50 + .001;
    case 6:  // careless bounds: all within one part in fifty
      return .01 * std::exp(normal(random) / 4);
    default:  // three of ten at the least value
      return random() % 10 < 3 ? 0 : .3 + normal(random) / 10;
  }
}
constexpr int kShapes = 8;

std::vector<std::int64_t> table(int shape, int rows) {
  std::mt19937_64 random(static_cast<std::uint64_t>(17 + shape));
  std::vector<std::int64_t> cells(kFine);
  for (int i = 0; i < rows; ++i) {
    const double at = place(shape, random) * kFine;
    ++cells[static_cast<std::size_t>(std::clamp(at, 0.0, kFine - 1.0))];
  }
  return cells;
}

std::vector<double> shares(int count) {
  if (count == 1) return {.5};
  std::vector<double> of;
  for (int i = 1; i <= count; ++i) of.push_back(i / (count + 1.0));
  return of;
}

double exact(const std::vector<std::int64_t>& cells, double p) {
  std::int64_t total = 0, below = 0;
  for (const std::int64_t count : cells) total += count;
  for (int k = 0;; ++k) {
    below += cells[static_cast<std::size_t>(k)];
    if (static_cast<double>(below) >= std::max(p * static_cast<double>(total), 1.)) {
      return (k + .5) / kFine;
    }
  }
}

struct Tree {
  TreeShape shape;
  std::vector<NoiseLaw> laws;
};

Tree tree_of(const QueryRequest& request, const Filter& filter, int cells) {
  Tree tree{tree_shape(cells), {}};
  const std::vector<StatisticShift> shifts(
      static_cast<std::size_t>(tree.shape.levels),
      statistic_shift(kCountLattice, Adjacency::add_remove, false));
  std::vector<StatisticNoise> noise(shifts.size());
  (void)plan_query(request, filter, shifts, noise);
  for (const StatisticNoise& each : noise) tree.laws.push_back(each.law);
  return tree;
}

std::vector<double> from_tree(const Tree& tree, const std::vector<std::int64_t>& fine,
                              const std::vector<double>& of, RandomStream& random) {
  const int cells = tree.shape.cells;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(cells));
  for (int i = 0; i < kFine; ++i) {
    counts[static_cast<std::size_t>(i / (kFine / cells))] += fine[static_cast<std::size_t>(i)];
  }
  std::vector<Int128> nodes(static_cast<std::size_t>(tree.shape.all_nodes()));
  Int128* level = nodes.data();
  for (int l = 0; l < tree.shape.levels; level += tree.shape.nodes(l++)) {
    sum_level(tree.shape, l, counts, level);
    const NoiseSampler noise(tree.laws[static_cast<std::size_t>(l)]);
    for (int i = 0; i < tree.shape.nodes(l); ++i) level[i] += noise(random);
  }
  const CellDistribution fit = QuantileTree(tree.shape, tree.laws).fit(nodes);
  std::vector<double> answers;
  for (const double p : of) {
    const int cell = quantile_cell(fit, p);
    answers.push_back(cell < 0 ? .5 : (cell + .5) / cells);
  }
  return answers;
}

std::vector<double> from_draws(const std::vector<Int128>& counts, const std::vector<double>& of,
                               const std::vector<DrawShift>& shifts, double range,
                               RandomStream& random) {
  std::vector<double> answers;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const int cell = draw_quantile(random, counts, exact_share(of[i]), shifts[i], range);
    answers.push_back((cell + .5) / kFine);
  }
  std::ranges::sort(answers);
  return answers;
}

void run(int trials) {
  struct Kind {
    const char* name;
    Accountant accountant;
    double delta;
  };
  constexpr Kind kKinds[] = {{"pure", Accountant::basic, 0},
                             {"gdp", Accountant::gdp, 1e-6},
                             {"renyi", Accountant::renyi, 1e-6}};
  std::printf("%8s %5s %6s %3s  %6s %6s %6s  %6s\n", "rows", "eps", "noise", "q", "mean", "most",
              "ours", "other");
  double all = 0, worst = 0;
  int lines = 0;
  for (const int rows : {1000, 10000, 100000, 1000000}) {
    for (const double epsilon : {.1, 1., 4.}) {
      for (const Kind& kind : kKinds) {
        const double order = choose_order(4, 1e-6);
        const Filter filter(kind.accountant, Decimal::printed(8), Decimal::printed(1e-6), order);
        const QueryRequest request{epsilon, kind.delta, std::nullopt};
        Tree tree = tree_of(request, filter, TreeShape::plain_cells);
        if (are_fine_cells_worth(tree.laws, rows)) tree = tree_of(request, filter, kFine);
        const QuantileTree fitted(tree.shape, tree.laws);
        std::vector<std::vector<std::int64_t>> tables;
        for (int shape = 0; shape < kShapes; ++shape) tables.push_back(table(shape, rows));
        for (const int quantiles : {1, 2, 3, 4, 6, 9, 12}) {
          const std::vector<double> of = shares(quantiles);
          std::vector<DrawShift> shifts;
          for (const double p : of) {
            shifts.push_back(draw_shift(exact_share(p), Adjacency::add_remove, 1, false));
          }
          const double range = plan_draws(request, filter, shifts).range;
          double draws_off = 0, tree_off = 0;
          std::vector<QuantileRank> ranks;
          for (std::size_t i = 0; i < of.size(); ++i) {
            const double off = rank_deviation(exact_share(of[i]), shifts[i], range);
            ranks.push_back({of[i], off / std::numbers::sqrt2,
                             rank_deviation(fitted, tree.laws, of[i]), tree.shape.cells});
            draws_off += off;
            tree_off += ranks.back().tree_deviation;
          }
          const bool draws = are_draws_worth(ranks, rows);
          std::string each;  // draws / tree
          double log_ours = 0, most = 0, log_other = 0;
          for (int shape = 0; shape < kShapes; ++shape) {
            const auto& cells = tables[static_cast<std::size_t>(shape)];
            const std::vector<Int128> counts(cells.begin(), cells.end());
            RandomStream random({static_cast<std::uint8_t>(shape + 1)});
            double by_tree = 0, by_draws = 0;
            std::vector<double> truth;
            for (const double p : of) truth.push_back(exact(cells, p));
            for (int t = 0; t < trials; ++t) {
              const std::vector<double> a = from_tree(tree, cells, of, random);
              const std::vector<double> b = from_draws(counts, of, shifts, range, random);
              for (std::size_t i = 0; i < of.size(); ++i) {
                by_tree += std::abs(a[i] - truth[i]);
                by_draws += std::abs(b[i] - truth[i]);
              }
            }
            // Half a fine cell is no error.
            const double least = .5 / kFine * trials * quantiles;
            by_tree = std::max(by_tree, least);
            by_draws = std::max(by_draws, least);
            const double ours = draws ? by_draws : by_tree, other = draws ? by_tree : by_draws;
            const double ratio = ours / std::min(ours, other);
            log_ours += std::log(ratio);
            log_other += std::log(other / std::min(ours, other));
            most = std::max(most, ratio);
            each += (each.empty() ? "" : " ") + std::to_string(by_draws / by_tree).substr(0, 4);
          }
          std::printf("%8d %5g %6s %3d  %6.3f %6.2f %6s  %6.2f  %.2f  %s\n", rows, epsilon,
                      kind.name, quantiles, std::exp(log_ours / kShapes), most,
                      draws ? "draws" : "tree", std::exp(log_other / kShapes), draws_off / tree_off,
                      each.c_str());
          std::fflush(stdout);
          all += log_ours / kShapes;
          worst = std::max(worst, most);
          ++lines;
        }
      }
    }
  }
  std::printf("all: %.3f, worst %.2f\n", std::exp(all / lines), worst);
}

}  // namespace
}  // namespace dpmix

int main(int argc, char** argv) {
  dpmix::run(argc > 1 ? std::atoi(argv[1]) : 20);
  return 0;
}
