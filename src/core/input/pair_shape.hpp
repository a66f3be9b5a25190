// Small tables of counts over a row's columns: one for each column, one for each pair of them, and
// which class a naive Bayes classifier takes the row for.
//
// Enters: for each column where it is cut, all public; public scores. Leaves, for each row, one
// cell of every table. Guaranteed: a row is in exactly one cell of each table, whatever it holds,
// for a missing value is a cell of its own, the last one; and in one of "right" and "wrong", or in
// neither where its class is not known. Scores are whole numbers, so that their sums are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/input/cell_cut.hpp"

namespace dpmix {

struct PairCells {
  int column, other;  // other: -1 of a single column
  int first, cells;   // among the counts; the other's cells change fastest
};

struct PairShape {
  static constexpr int max_columns = 1600, max_bins = 1 << 20;

  struct Column {
    double lower, upper;  // where the first cell begins and the last one ends
    int cells;            // of known values
    int size() const { return cells + 1; }
  };
  std::vector<Column> columns;
  bool singles = true, pairs = true;
  // Empty: no classifier. Its classes are the cells of the last column: for each a score, then for
  // each cell of each other column, missing values too, one for each class.
  std::vector<double> scores;

  std::vector<PairCells> tables() const;  // single columns, then pairs in lexicographic order
  std::int64_t bins() const;              // of all tables, then right and wrong
  std::size_t score_count() const;        // that a classifier has
  std::vector<double> pack() const;
  // Error PV005 unless the numbers are a shape of at most max_bins counts.
  static PairShape unpack(std::span<const double> packed);
};

// Counts rows, without memory of its own: `packed` and `placers`, one for each column, are kept.
class PairCounter {
 public:
  PairCounter(std::span<const double> packed, CellPlacer* placers);

  int columns() const { return columns_; }
  int bins() const { return bins_; }
  // x: a row; NaN is missing.
  void add(const double* x, std::int64_t* counts) const;

 private:
  int size(int column) const { return static_cast<int>(placers_[column].last) + 2; }
  bool takes_for(int label, const int* code) const;

  int columns_, bins_;
  bool singles_, pairs_;
  const CellPlacer* placers_;
  std::span<const double> scores_;
};

}  // namespace dpmix
