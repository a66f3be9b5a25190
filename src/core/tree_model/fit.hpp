// Tables that agree with each other, from noisy tables.
//
// Enters: noisy counts of classes, of single columns by class, of pairs. Leaves: for each class and
// pair a table without negative counts whose margins are those of the columns, the same in all
// pairs. Where noise hides a pair's dependence, its table is drawn toward the one without it.
// Post-processing; deterministic.
#pragma once

#include <span>
#include <vector>

namespace dpmix {

struct NoisyColumn {
  std::vector<double> counts;    // by class, then code
  std::vector<double> variance;  // of each code's count in one class
  int codes() const { return static_cast<int>(variance.size()); }
};

struct NoisyPair {
  int a, b;                    // columns
  bool by_class;               // else over all classes together
  double stddev;               // of each count
  std::vector<double> counts;  // by class, then code of a, then of b
  // What is expected of the pair, by class, without its own counts; empty: independence.
  std::vector<double> expected;
};

struct PairTable {
  int a, b;
  std::vector<double> rows;  // by class, then code of a, then of b
};

struct TreeTables {
  std::vector<double> classes;               // rows of each, positive
  std::vector<int> codes;                    // of each column
  std::vector<std::vector<double>> columns;  // rows by class, then code
  std::vector<PairTable> pairs;

  int class_count() const { return static_cast<int>(classes.size()); }
  // The pair's table, with a first; pairs must hold it.
  std::vector<double> pair(int a, int b) const;
};

// Rows of the classes, from single columns alone.
std::vector<double> class_rows(std::span<const NoisyColumn> columns, int classes);

TreeTables fit_tables(std::vector<double> classes, std::span<const NoisyColumn> columns,
                      std::span<const NoisyPair> pairs);

// Rows of a and b by class, if they depend on each other through c alone; c < 0: through nothing.
std::vector<double> rows_through(const TreeTables& tables, int a, int b, int c);

}  // namespace dpmix
