// What synthetic rows are compared with and by: rows of a mixture that is fitted under the same
// guarantee, and how far the classes of two tables lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mixture/sampling.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/synthetic_tables.hpp"

namespace dpmix::test {

// What release_gmm and sample make, within the bounds.
inline LabelledTable sampled(const LabelledTable& records, double epsilon, double delta,
                             std::int64_t rows, std::uint64_t seed) {
  const auto d = static_cast<std::size_t>(records.features);
  Table table{records.features,
              static_cast<int>(records.classes.size()),
              std::vector<double>(d, -1),
              std::vector<double>(d, 1),
              {},
              {}};
  for (std::size_t k = 0; k < records.classes.size(); ++k) {
    for (const auto& x : records.classes[k].colwise()) {
      table.label.push_back(static_cast<int>(k));
      table.row.emplace_back(x.data(), x.data() + d);
    }
  }
  GmmSampler sampler(release(request_of(table, gdp_mu(epsilon, delta)), table, seed).mixture);
  RandomStream random(key_of(~seed));
  std::vector<std::vector<double>> drawn(records.classes.size());
  std::vector<double> x(d);
  for (std::int64_t t = 0; t < rows; ++t) {
    auto& of_class = drawn[static_cast<std::size_t>(sampler.draw(random, x.data()))];
    of_class.insert(of_class.end(), x.begin(), x.end());
  }
  LabelledTable made{records.features, {}};
  for (const auto& values : drawn) {
    made.classes.emplace_back(Eigen::Map<const Eigen::MatrixXd>(
        values.data(), records.features, static_cast<Eigen::Index>(values.size() / d)));
  }
  return clamped(std::move(made));
}

// Averages over classes and features: how many deviations of the records means are off, by what
// factor deviations are, and by how much correlations. A feature that does not vary has a deviation
// of a thousandth of its bounds.
struct ClassDistance {
  double means, deviations, correlations;
};
inline ClassDistance distance(const LabelledTable& made, const LabelledTable& records) {
  ClassDistance sum{};
  double features = 0, pairs = 0;
  for (std::size_t k = 0; k < records.classes.size(); ++k) {
    if (made.classes[k].cols() < 2 || records.classes[k].cols() < 2) continue;
    Eigen::VectorXd mean[2], deviation[2];
    Eigen::MatrixXd correlation[2];
    for (int i = 0; i < 2; ++i) {
      const auto& x = (i == 0 ? made : records).classes[k];
      mean[i] = x.rowwise().mean();
      const Eigen::MatrixXd centred = x.colwise() - mean[i];
      correlation[i] = centred * centred.transpose() / static_cast<double>(x.cols() - 1);
      deviation[i] = correlation[i].diagonal().cwiseSqrt().cwiseMax(2e-3);
      correlation[i].array() /= (deviation[i] * deviation[i].transpose()).array();
    }
    for (Eigen::Index i = 0; i < made.features; ++i, ++features) {
      sum.means += std::abs(mean[0][i] - mean[1][i]) / deviation[1][i];
      sum.deviations += std::abs(std::log(deviation[0][i] / deviation[1][i]));
      for (Eigen::Index j = 0; j < i; ++j, ++pairs) {
        sum.correlations += std::abs(correlation[0](i, j) - correlation[1](i, j));
      }
    }
  }
  return {sum.means / features, std::exp(sum.deviations / features),
          pairs > 0 ? sum.correlations / pairs : 0};
}

}  // namespace dpmix::test
