// Tables for tests of mixtures: simulated ones and Iris, and the way of their rows into moments.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/input/cell_grid.hpp"
#include "core/input/cluster_frame.hpp"
#include "core/input/distance_bins.hpp"
#include "core/input/mixture_frame.hpp"
#include "core/input/moment_frame_placer.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/one_shot_fit.hpp"
#include "core/mixture/fit/one_shot_plan.hpp"
#include "core/mixture/methods/method.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/feature_sample.hpp"

namespace dpmix::test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Table {
  int features = 0, classes = 0;
  std::vector<double> lower, upper;
  std::vector<int> label;  // -1: none
  std::vector<std::vector<double>> row;
};

inline MomentTotals exact_moments(const Table& table, const MomentFrame& frame) {
  std::vector<double> memory(FramePlacer::memory_size(frame));
  const FramePlacer placer(frame, memory.data());
  const MomentShape shape{static_cast<std::int32_t>(frame.classes.size()), frame.features,
                          frame.resolution, 1};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  std::vector<std::int32_t> q(FramePlacer::max_row);
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    if (table.label[n] >= 0 && placer.place(table.label[n], table.row[n].data(), q.data())) {
      moments.add(table.label[n], q.data());
    }
  }
  return moments.totals();
}

inline BinCounts exact_distances(const Table& table, const MomentFrame& frame,
                                 const std::vector<double>& edges) {
  std::vector<double> memory(FramePlacer::memory_size(frame));
  const FramePlacer placer(frame, memory.data());
  BinCounts counts(static_cast<int>(frame.classes.size()), static_cast<int>(edges.size()) + 1);
  std::vector<std::int32_t> q(FramePlacer::max_row);
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    if (table.label[n] >= 0 && placer.place(table.label[n], table.row[n].data(), q.data())) {
      counts.add(table.label[n],
                 distance_bin(edges, q.data(), static_cast<std::size_t>(frame.features)));
    }
  }
  return counts;
}

inline MixtureFrame mixture_frame_of(const Pass& pass) {
  return MixtureFrame::unpack(pass.pack());
}

inline MomentTotals exact_soft_moments(const Table& table, const MixtureFrame& frame) {
  std::vector<double> memory(MixturePlacer::memory_size(frame));
  const MixturePlacer placer(frame, memory.data());
  const MomentShape shape{placer.components(), frame.frame.features, frame.frame.resolution, 1};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  const auto components = static_cast<std::size_t>(placer.components());
  std::vector<std::int32_t> q(FramePlacer::max_row);
  std::vector<std::int64_t> shares(components);
  for (const auto& row : table.row) {
    if (!placer.shares(row.data(), shares.data())) continue;
    for (std::size_t k = 0; k < components; ++k) {
      if (shares[k] == 0) continue;
      placer.place(static_cast<int>(k), row.data(), q.data());
      moments.add(static_cast<int>(k), q.data(), shares[k]);
    }
  }
  return moments.totals();
}

inline BinCounts exact_clusters(const Table& table, const ClusterFrame& clusters) {
  const MixtureFrame& frame = clusters.mixture;
  std::vector<double> memory(MixturePlacer::memory_size(frame));
  const MixturePlacer placer(frame, memory.data());
  BinCounts counts(clusters.classes, placer.components());
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    const int cluster = placer.most_likely(table.row[n].data());
    if (cluster >= 0 && table.label[n] >= 0) counts.add(table.label[n], cluster);
  }
  return counts;
}

inline BinCounts exact_cells(const Table& table, const CellGrid& grid) {
  std::vector<double> memory(FramePlacer::memory_size(grid.frame));
  const FramePlacer placer(grid.frame, memory.data());
  const int views = static_cast<int>(grid.frame.classes.size());
  BinCounts counts(views, grid.bins());
  std::vector<std::int32_t> q(FramePlacer::max_row);
  for (const auto& row : table.row) {
    for (int v = 0; v < views && placer.place(v, row.data(), q.data()); ++v) {
      counts.add(v, cell_of(q.data(), grid.axes, grid.side, grid.frame.resolution));
    }
  }
  return counts;
}

inline Table without_labels(Table table) {
  table.label.assign(table.row.size(), 0);
  return table;
}

inline SampleRows exact_sample(const Table& table, const SampleFrame& frame) {
  std::vector<double> memory(FramePlacer::memory_size(frame.frame));
  const FramePlacer placer(frame.frame, memory.data());
  const SampleShape shape(frame, 1);
  std::vector<std::uint64_t> words(FeatureSample::word_count(shape));
  FeatureSample sample = FeatureSample::create(words.data(), shape);
  std::vector<std::int32_t> q(FramePlacer::max_row);
  for (const auto& row : table.row) {
    if (placer.place(0, row.data(), q.data())) sample.add(q.data());
  }
  return sample.rows();
}

// What the aggregate of a pass makes of the table.
inline PassStatistics exact_statistics(const Table& table, const Pass& pass) {
  switch (pass.kind) {
    case PassKind::class_moments:
      return exact_moments(table, pass.frame);
    case PassKind::class_distances:
      return exact_distances(table, pass.frame, pass.extra);
    case PassKind::class_clusters:
      return exact_clusters(table, ClusterFrame::unpack(pass.pack()));
    case PassKind::soft_moments:
      return exact_soft_moments(table, mixture_frame_of(pass));
    case PassKind::cells:
      return exact_cells(table, CellGrid::unpack(pass.pack()));
    case PassKind::row_moments:
      return exact_moments(without_labels(table), pass.frame);
    case PassKind::row_distances:
      return exact_distances(without_labels(table), pass.frame, pass.extra);
    case PassKind::feature_sample:
      return exact_sample(table, SampleFrame::unpack(pass.pack())).points(pass.frame.step(0));
    default:
      ADD_FAILURE() << "no statistics for " << static_cast<int>(pass.kind);
      return {};
  }
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

inline GmmRequest request_of(const Table& table, double mu,
                             Adjacency adjacency = Adjacency::add_remove,
                             std::optional<CovarianceShape> shape = CovarianceShape::full) {
  GmmRequest request;
  request.lower = table.lower;
  request.upper = table.upper;
  request.classes = table.classes;
  request.shape = shape;
  request.adjacency = adjacency;
  request.mu = mu;
  return request;
}

inline void run(GmmMechanism& mechanism, RandomStream& random, const Table& table) {
  while (const auto pass = mechanism.next()) {
    mechanism.take(random, exact_statistics(table, *pass));
  }
}

inline GmmFit release(const GmmRequest& request, const Table& table, std::uint64_t seed,
                      GmmObjective objective = GmmObjective::balanced) {
  const auto mechanism = start_gmm(request);
  RandomStream random(key_of(seed));
  run(*mechanism, random, table);
  return mechanism->fit(objective);
}

}  // namespace dpmix::test
