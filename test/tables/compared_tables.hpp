// Tables for tests of comparisons, and the way of their rows into the counts of a scan.
#pragma once

#include "core/comparison/private_statistics.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {

// A row: numbers, then the number of a category for each feature of them (-1: none), and a label.
struct ComparedRow {
  std::vector<double> number;
  std::vector<int> category;
  int label = -1;
};

struct ComparedTable {
  ComparedColumns columns;
  std::vector<ComparedRow> row;
};

// What a marginal looks at; NAN where it is missing.
inline double marginal_value(const ComparedColumns& columns, const ComparedRow& row, int column) {
  const int numbers = columns.numbers();
  if (column < numbers) return row.number[static_cast<std::size_t>(column)];
  const auto at = static_cast<std::size_t>(column - numbers);
  const int k = at < row.category.size() ? row.category[at] : row.label;
  return k < 0 ? NAN : k;
}

// What the classifier looks at: NAN in it where a category is missing.
inline std::vector<double> coded_row(const ComparedColumns& columns, const ComparedRow& row) {
  std::vector<double> x = row.number;
  for (const int i : columns.coded()) {
    const auto at = static_cast<std::size_t>(i);
    for (int k = 1; k < columns.categories[at]; ++k) {
      x.push_back(row.category[at] < 0 ? NAN : row.category[at] == k);
    }
  }
  return x;
}

inline Table coded_table(const ComparedTable& table) {
  const MomentFrame box = table.columns.coded_box();
  Table out{box.features, table.columns.classes, box.lower, box.upper, {}, {}};
  for (const ComparedRow& row : table.row) {
    out.label.push_back(row.label);
    out.row.push_back(coded_row(table.columns, row));
  }
  return out;
}

inline std::vector<double> learn(const ComparedTable& table) {
  const MomentFrame box = table.columns.coded_box();
  return class_gaussians(exact_moments(coded_table(table), box), box);
}

// Rows by cell of pair_shape()'s tables, as the aggregate counts them. scores: of naive Bayes, or
// empty.
inline BinCounts exact_pairs(const ComparedTable& table, const std::vector<double>& scores) {
  PairShape shape = pair_shape(table.columns);
  if (shape.columns.empty()) return {};
  shape.scores = scores;
  const std::vector<double> packed = shape.pack();
  std::vector<CellPlacer> placers(shape.columns.size());
  const PairCounter counter(packed, placers.data());
  BinCounts counts(1, counter.bins());
  for (const ComparedRow& row : table.row) {
    std::vector<double> x;
    for (const int column : paired_columns(table.columns)) {
      x.push_back(marginal_value(table.columns, row, column));
    }
    counter.add(x.data(), counts.counts.data());
  }
  return counts;
}

inline std::vector<double> learn_pairs(const ComparedTable& table) {
  if (!has_pair_classifier(table.columns)) return {};
  return bayes_scores(table.columns, exact_pairs(table, {}));
}

// classifier: packed, or empty; scores: likewise.
inline TableCounts exact_counts(const ComparedTable& table, int cells,
                                const std::vector<double>& classifier,
                                const std::vector<double>& scores = {}) {
  TableCounts counts;
  counts.rows = static_cast<std::int64_t>(table.row.size());
  const ComparedColumns& columns = table.columns;
  if (columns.numbers() > 0) {
    Table numbers{columns.numbers(), 1, columns.lower, columns.upper, {}, {}};
    for (const ComparedRow& row : table.row) {
      numbers.label.push_back(0);
      numbers.row.push_back(row.number);
    }
    counts.moments = exact_moments(numbers, columns.box());
  }
  for (const Marginal& marginal : marginals_of(columns, cells)) {
    Table one{1, 1, {marginal.lower}, {marginal.upper}, {}, {}};
    for (const ComparedRow& row : table.row) {
      one.row.push_back({marginal_value(columns, row, marginal.column)});
    }
    counts.marginals.push_back(exact_cells(one, marginal.grid()));
  }
  counts.pairs = exact_pairs(table, scores);
  if (!classifier.empty()) {
    counts.tested = exact_clusters(coded_table(table), ClusterFrame::unpack(classifier));
  }
  return counts;
}

// Two numbers, a boolean, a feature of three categories, three classes that differ in all of them.
inline ComparedTable mixed_table(std::mt19937_64& random, int rows) {
  ComparedTable table;
  table.columns = {{0, -5, 0}, {10, 5, 1}, {0, 0, 1}, {3}, 3};
  std::normal_distribution<double> normal;
  for (int n = 0; n < rows; ++n) {
    ComparedRow row;
    row.label = static_cast<int>(random() % 3);
    const double common = normal(random);
    row.number = {5 + row.label + common / 2, common - row.label,
                  static_cast<double>(random() % 4 < 1 + static_cast<unsigned>(row.label))};
    row.category = {static_cast<int>(random() % 2) + (row.label == 2 ? 1 : 0)};
    table.row.push_back(row);
  }
  return table;
}

}  // namespace dpmix::test
