// Tables for tests of mixtures: simulated ones and Iris, and the way of their rows into moments.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/input/frame_placer.hpp"
#include "core/release/gmm.hpp"
#include "core/release/gmm_staged.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix::test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Table {
  int features = 0, classes = 0;
  std::vector<double> lower, upper;
  std::vector<int> label;
  std::vector<std::vector<double>> row;
};

inline MomentTotals exact_moments(const Table& table, const MomentFrame& frame) {
  std::vector<double> memory(FramePlacer::memory_size(frame));
  const FramePlacer placer(frame, memory.data());
  const MomentShape shape{table.classes, table.features, frame.resolution, 1};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  std::vector<std::int32_t> q(FramePlacer::max_row);
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    if (placer.place(table.label[n], table.row[n].data(), q.data())) {
      moments.add(table.label[n], q.data());
    }
  }
  return moments.totals();
}

inline DistanceHistogram exact_distances(const Table& table, const MomentFrame& frame,
                                         const std::vector<std::int64_t>& edges) {
  std::vector<double> memory(FramePlacer::memory_size(frame));
  const FramePlacer placer(frame, memory.data());
  DistanceHistogram histogram(table.classes, edges);
  std::vector<std::int32_t> q(FramePlacer::max_row);
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    if (placer.place(table.label[n], table.row[n].data(), q.data())) {
      histogram.add(table.label[n], q.data(), static_cast<std::size_t>(table.features));
    }
  }
  return histogram;
}

// Shares, means and sample covariances (n - 1) of the classes: the fit without privacy.
inline GaussianMixture plain_fit(const Table& table) {
  GaussianMixture fit;
  const int d = fit.features = table.features;
  for (int k = 0; k < table.classes; ++k) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
    Matrix covariance = Matrix::Zero(d, d);
    double n = 0;
    const auto each = [&](auto&& body) {
      for (std::size_t i = 0; i < table.row.size(); ++i) {
        if (table.label[i] == k) body(Eigen::Map<const Eigen::VectorXd>(table.row[i].data(), d));
      }
    };
    each([&](const auto& x) { mean += x, ++n; });
    mean /= n;
    each([&](const auto& x) { covariance += (x - mean) * (x - mean).transpose(); });
    covariance /= n - 1;
    fit.components.push_back({n / static_cast<double>(table.row.size()),
                              n,
                              {mean.data(), mean.data() + d},
                              {covariance.data(), covariance.data() + d * d}});
  }
  return fit;
}

// The setting of the published experiments: weights Dirichlet(1), means uniform in [-10, 10]^d,
// covariances Wishart(d + 1, I), bounds +-(10 + 3 sqrt(d + 1)); classes of at least d + 2 rows.
inline Table simulated_table(std::mt19937_64& random, int classes, int features, int rows) {
  const auto d = static_cast<std::size_t>(features);
  const double bound = 10 + 3 * std::sqrt(features + 1.);
  std::normal_distribution<double> normal;
  for (;;) {
    Table table{features, classes, std::vector<double>(d, -bound), std::vector<double>(d, bound),
                {},       {}};
    std::vector<double> weights;
    std::vector<Eigen::VectorXd> means;
    std::vector<Matrix> factors;
    for (int k = 0; k < classes; ++k) {
      weights.push_back(std::exponential_distribution<double>()(random));
      means.push_back(Eigen::VectorXd::NullaryExpr(
          features, [&] { return std::uniform_real_distribution<double>(-10, 10)(random); }));
      const Matrix a = Matrix::NullaryExpr(features, features + 1, [&] { return normal(random); });
      factors.push_back(Eigen::LLT<Matrix>(a * a.transpose()).matrixL());
    }
    std::discrete_distribution<int> choose(weights.begin(), weights.end());
    std::vector<int> count(static_cast<std::size_t>(classes));
    for (int n = 0; n < rows; ++n) {
      const int k = choose(random);
      const auto i = static_cast<std::size_t>(k);
      const Eigen::VectorXd z =
          Eigen::VectorXd::NullaryExpr(features, [&] { return normal(random); });
      const Eigen::VectorXd x = means[i] + factors[i] * z;
      table.label.push_back(k);
      table.row.emplace_back(x.data(), x.data() + features);
      ++count[i];
    }
    if (*std::min_element(count.begin(), count.end()) >= features + 2) return table;
  }
}

inline Table iris() {
  Table table{4, 3, {4, 2, 0, 0}, {8, 5, 7, 3}, {}, {}};
  std::ifstream file("test/data/iris.csv");
  std::string line, cell;
  std::getline(file, line);
  std::map<std::string, int> species;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double> x;
    while (x.size() < 4 && std::getline(cells, cell, ',')) x.push_back(std::stod(cell));
    std::getline(cells, cell);
    table.label.push_back(species.emplace(cell, static_cast<int>(species.size())).first->second);
    table.row.push_back(x);
  }
  return table;
}

// Rows that a proof would stumble over: corners, faces, infinities, out of bounds, single axes,
// one ulp inside, missing.
inline std::vector<double> awkward_row(std::mt19937_64& random, const Table& table) {
  std::uniform_int_distribution<int> kind(0, 9);
  std::uniform_real_distribution<double> uniform(-.1, 1.1);
  const int whole = kind(random);
  std::vector<double> x(table.lower.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double low = table.lower[i], high = table.upper[i];
    const bool up = random() % 2;
    switch (whole < 7 ? whole : kind(random)) {
      case 0:
        x[i] = high;
        break;
      case 1:
        x[i] = low;
        break;
      case 2:
        x[i] = up ? high : low;
        break;
      case 3:
        x[i] = up ? HUGE_VAL : -HUGE_VAL;
        break;
      case 4:
        x[i] = up ? std::nextafter(high, low) : std::nextafter(low, high);
        break;
      case 5:
        x[i] = i == 0 ? high : (low + high) / 2;
        break;
      case 6:
        x[i] = (low + high) / 2;
        break;
      case 9:
        x[i] = random() % 50 == 0 ? NAN : low;
        break;
      default:
        x[i] = low + uniform(random) * (high - low);
    }
  }
  return x;
}

inline RandomStream::Key key_of(std::uint64_t seed) {
  RandomStream::Key key{};
  for (int i = 0; i < 8; ++i)
    key[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(seed >> (8 * i));
  return key;
}

inline GmmFit private_fit(const Table& table, double mu, std::uint64_t seed,
                          Adjacency adjacency = Adjacency::add_remove,
                          CovarianceShape shape = CovarianceShape::full,
                          GmmObjective objective = GmmObjective::balanced) {
  const GmmPlan plan = plan_gmm(table.lower, table.upper, table.classes, shape, adjacency, mu);
  RandomStream random(key_of(seed));
  return fit_gmm(add_noise(random, exact_moments(table, plan.frame), plan), plan, objective);
}

inline void next_stage(StagedGmm& staged, RandomStream& random, const Table& table) {
  if (staged.wants_distances()) {
    staged.take(random, exact_distances(table, staged.frame(), staged.edges()));
  } else {
    staged.take(random, exact_moments(table, staged.frame()));
  }
}

inline StagedGmm staged_release(const Table& table, double mu, std::uint64_t seed,
                                Adjacency adjacency = Adjacency::add_remove,
                                CovarianceShape shape = CovarianceShape::full) {
  StagedGmm staged(table.lower, table.upper, table.classes, shape, adjacency, mu);
  RandomStream random(key_of(seed));
  while (!staged.done()) next_stage(staged, random, table);
  return staged;
}

}  // namespace dpmix::test
