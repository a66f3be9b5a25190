// Small tree models for tests: of few rows and values, or none of a release's making.
#pragma once

#include <random>
#include <vector>

#include "core/tree_model/law.hpp"
#include "core/tree_model/model.hpp"

namespace dpmix::test {

inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// All codes of all columns, one after the other; visit(codes).
template <class Visit>
void each_codes(std::span<const int> sizes, const Visit& visit) {
  std::vector<int> codes(sizes.size(), 0);
  for (;;) {
    visit(codes);
    std::size_t i = 0;
    while (i < codes.size() && ++codes[i] == sizes[i]) codes[i++] = 0;
    if (i == codes.size()) return;
  }
}

// A model of categories whose tables are the margins of one random joint table of these pairs: so
// they agree with each other.
inline TreeModel model_of_joint(std::mt19937_64& random, int classes, const std::vector<int>& sizes,
                                const std::vector<std::pair<int, int>>& pairs) {
  TreeModel model;
  TreeTables& tables = model.tables;
  tables.classes.assign(at(classes), 0.);
  tables.codes = sizes;
  for (const int size : sizes) {
    CutColumn column = cut_column({.categories = size, .missing = false, .nullable = false}, 32);
    model.columns.push_back(std::move(column));
    tables.columns.emplace_back(at(classes * size), 0.);
  }
  for (const auto& [a, b] : pairs) {
    tables.pairs.push_back({a, b, std::vector<double>(at(classes * sizes[at(a)] * sizes[at(b)]))});
  }
  std::exponential_distribution<double> law(.1);
  for (int k = 0; k < classes; ++k) {
    each_codes(sizes, [&](const std::vector<int>& codes) {
      const double rows = law(random) + .1;
      tables.classes[at(k)] += rows;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        tables.columns[i][at(k * sizes[i] + codes[i])] += rows;
      }
      for (PairTable& pair : tables.pairs) {
        const int a = codes[at(pair.a)], b = codes[at(pair.b)];
        pair.rows[at((k * sizes[at(pair.a)] + a) * sizes[at(pair.b)] + b)] += rows;
      }
    });
  }
  return model;
}

}  // namespace dpmix::test
