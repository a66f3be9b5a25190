// Tables of labelled records for tests and benches of DP-CDA, the release made from them in memory,
// and a classifier that is trained on its rows.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/input/record_code.hpp"
#include "core/synthetic/cda.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "core/synthetic/demix.hpp"
#include "core/synthetic/row_mixer.hpp"

namespace dpmix::test {

// Rows of one class in half widths of the bounds, by columns.
using ClassRowsMatrix = Eigen::MatrixXd;

struct LabelledTable {
  int features;
  std::vector<ClassRowsMatrix> classes;
};

// Gaussian classes of different means, shapes and sizes (the largest about seven times the
// smallest), clamped to the bounds: what differs from class to class are the means, of deviation
// `apart` in a coordinate; the deviations along a class's own axes go from .08 to .32.
class GaussianClasses {
 public:
  GaussianClasses(int features, int classes, double apart, unsigned seed) : features_(features) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (int k = 0; k < classes; ++k) {
      Eigen::VectorXd mean(features), deviation(features);
      Eigen::MatrixXd axes(features, features);
      for (int j = 0; j < features; ++j) {
        mean[j] = std::clamp(apart * normal(random), -.7, .7);
        deviation[j] = .08 * std::pow(4, uniform(random));
        for (int i = 0; i < features; ++i) axes(i, j) = normal(random);
      }
      axes = Eigen::HouseholderQR<Eigen::MatrixXd>(axes).householderQ();
      means_.push_back(mean);
      roots_.push_back(axes * deviation.asDiagonal());
      sizes_.push_back(std::exp(2 * uniform(random)));
    }
  }

  LabelledTable draw(int rows, unsigned seed) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::discrete_distribution<std::size_t> any(sizes_.begin(), sizes_.end());
    std::vector<std::int64_t> counts(means_.size());
    for (int i = 0; i < rows; ++i) ++counts[any(random)];
    LabelledTable table{features_, {}};
    for (std::size_t k = 0; k < means_.size(); ++k) {
      ClassRowsMatrix x(features_, counts[k]);
      for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = normal(random);
      x = ((roots_[k] * x).colwise() + means_[k]).cwiseMax(-1).cwiseMin(1);
      table.classes.push_back(std::move(x));
    }
    return table;
  }

 private:
  int features_;
  std::vector<Eigen::VectorXd> means_;
  std::vector<Eigen::MatrixXd> roots_;
  std::vector<double> sizes_;
};

inline RecordCode code_of(const LabelledTable& table) {
  RecordCode code;
  for (int j = 0; j < table.features; ++j) code.add_number(-1, 1);
  return code;
}

// A release of so many rows, add_remove, as many of each class. mix 0: chosen.
inline CdaPlan plan_of(const LabelledTable& records, std::int64_t rows, double epsilon,
                       double delta, int mix, Demix demix) {
  return plan_cda({.classes = static_cast<int>(records.classes.size()),
                   .norm = code_of(records).norm(),
                   .rows = rows,
                   .epsilon = epsilon,
                   .delta = delta,
                   .adjacency = Adjacency::add_remove,
                   .accounting = {},
                   .mix = mix,
                   .demix = demix,
                   .class_rows = ClassRows::balanced});
}

// The release's rows, before demixing; `classes` is what they were made with.
inline LabelledTable mixed(const LabelledTable& table, const CdaPlan& plan, RandomStream& random,
                           std::vector<MixedClass>& classes) {
  std::vector<std::int64_t> counts;
  for (const auto& x : table.classes) counts.push_back(noisy_class_count(random, plan, x.cols()));
  classes = plan_classes(plan, counts);
  const RecordCode code = code_of(table);
  RowMixer mixer(classes, code.coordinates(), 0, plan.asked.rows);
  std::vector<std::int32_t> record(static_cast<std::size_t>(code.coordinates()));
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto& x = table.classes[k];
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      if (code.encode({x.col(i).data(), static_cast<std::size_t>(table.features)}, record.data()))
        mixer.add(random, static_cast<int>(k), record.data());
    }
  }
  LabelledTable result{table.features, {}};
  for (std::size_t k = 0; k < classes.size(); ++k) {
    ClassRowsMatrix rows(table.features, classes[k].rows);
    for (Eigen::Index t = 0; t < rows.cols(); ++t) {
      mixer.finish(random, static_cast<int>(k), classes[k].first + t, rows.col(t).data());
    }
    result.classes.push_back(std::move(rows));
  }
  return result;
}

inline LabelledTable demixed(LabelledTable rows, const std::vector<MixedClass>& classes,
                             Demix demix) {
  if (demix == Demix::none) return rows;
  std::vector<Eigen::VectorXd> means;
  const auto map = [&](std::size_t k, const Eigen::MatrixXd& linear) {
    auto& x = rows.classes[k];
    x = ((linear * (x.colwise() - means[k])).colwise() + means[k]).eval();
  };
  MixedSpread spread(rows.features);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    RowMoments moments(rows.features);
    for (Eigen::Index t = 0; t < rows.classes[k].cols(); ++t) {
      moments.add(rows.classes[k].col(t).data());
    }
    moments.flush();
    means.push_back(spread.add(moments, mixing_of(classes[k])));
    if (demix == Demix::tied) continue;
    if (classes[k].rows > 0) map(k, Demixing(std::move(spread)).map());
    spread = MixedSpread(rows.features);
  }
  if (demix == Demix::tied) {
    const Demixing demixing(std::move(spread));
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if (classes[k].rows > 0) map(k, demixing.map(mixing_of(classes[k]), means[k]));
    }
  }
  return rows;
}

// As rows leave the database: within the bounds.
inline LabelledTable clamped(LabelledTable rows) {
  for (auto& x : rows.classes) x = x.cwiseMax(-1).cwiseMin(1).eval();
  return rows;
}

// A Gaussian for each class, full covariances with a ridge of a thousandth of their mean variance
// (and of the bounds' width squared over 10^6, where rows do not vary), and its share of rows: its
// accuracy on a test table.
inline double class_gaussian_accuracy(const LabelledTable& train, const LabelledTable& test) {
  const Eigen::Index d = train.features;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factors;
  std::vector<Eigen::VectorXd> means;
  std::vector<double> constants;
  for (const auto& x : train.classes) {
    const auto n = static_cast<double>(x.cols());
    if (n == 0) {
      means.emplace_back(Eigen::VectorXd::Zero(d));
      factors.emplace_back(Eigen::MatrixXd::Identity(d, d));
      constants.push_back(-std::numeric_limits<double>::infinity());
      continue;
    }
    means.emplace_back(x.rowwise().mean());
    const Eigen::MatrixXd centred = x.colwise() - means.back();
    Eigen::MatrixXd covariance = centred * centred.transpose() / n;
    covariance.diagonal().array() += 1e-3 * covariance.trace() / static_cast<double>(d) + 4e-6;
    factors.emplace_back(covariance);
    const double log_root = factors.back().matrixLLT().diagonal().array().log().sum();
    constants.push_back(std::log(n) - log_root);
  }
  std::int64_t right = 0, all = 0;
  for (std::size_t k = 0; k < test.classes.size(); ++k) {
    const auto& x = test.classes[k];
    Eigen::MatrixXd score(static_cast<Eigen::Index>(means.size()), x.cols());
    for (std::size_t c = 0; c < means.size(); ++c) {
      const Eigen::MatrixXd white = factors[c].matrixL().solve(x.colwise() - means[c]);
      score.row(static_cast<Eigen::Index>(c)) =
          (constants[c] - white.colwise().squaredNorm().array() / 2).matrix();
    }
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      Eigen::Index best = 0;
      score.col(i).maxCoeff(&best);
      right += best == static_cast<Eigen::Index>(k);
    }
    all += x.cols();
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace dpmix::test
