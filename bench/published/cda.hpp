// The published way of synthetic rows, for comparison: NOT private (docs/proofs/synthetic.md). Each
// row is the mean of exactly `mix` records of one class, drawn without replacement, plus Gaussian
// noise of the deviation that the published theorem asks for (bench/synthetic/sigma.py, which wrote
// the numbers read here). Features are scaled by their bounds, not by the records' own means and
// deviations as published, so that what differs is the noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tables/synthetic_tables.hpp"

namespace dpmix::test {

// nullopt: not in the list.
inline std::optional<double> published_sigma(const std::string& table, double epsilon, int mix) {
  static const auto all = [] {
    std::map<std::tuple<std::string, double, int>, double> read;
    std::ifstream file("bench/synthetic/sigma.csv");
    for (std::string line; std::getline(file, line);) {
      std::istringstream cells(line);
      std::vector<std::string> cell(8);
      for (std::string& c : cell) std::getline(cells, c, ',');
      if (cell[6] == "published") {
        read[{cell[0], std::stod(cell[4]), std::stoi(cell[5])}] = std::stod(cell[7]);
      }
    }
    return read;
  }();
  const auto found = all.find({table, epsilon, mix});
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

// nullopt also where a class has fewer than `mix` records: there it fails.
inline std::optional<LabelledTable> published_table(const LabelledTable& records,
                                                    const std::string& name, double epsilon,
                                                    int mix, std::int64_t rows, unsigned seed) {
  const std::optional<double> sigma = published_sigma(name, epsilon, mix);
  const auto too_small = [&](const auto& x) { return x.cols() < mix; };
  if (!sigma || std::ranges::any_of(records.classes, too_small)) return std::nullopt;
  std::mt19937_64 random(seed);
  // Records have norms up to the root.
  std::normal_distribution<double> noise(0, *sigma * std::sqrt(records.features));
  LabelledTable made{records.features, {}};
  for (const auto& x : records.classes) {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(x.cols()));
    std::iota(order.begin(), order.end(), 0);
    auto& means = made.classes.emplace_back(
        records.features, rows / static_cast<std::int64_t>(records.classes.size()));
    for (auto row : means.colwise()) {
      row.setZero();
      for (std::size_t i = 0; i < static_cast<std::size_t>(mix); ++i) {
        std::uniform_int_distribution<std::size_t> choose(i, order.size() - 1);
        std::swap(order[i], order[choose(random)]);
        row += x.col(order[i]) / mix;
      }
      for (double& value : row) value += noise(random);
    }
  }
  return clamped(std::move(made));
}

}  // namespace dpmix::test
