// Contingency tables of a table's columns, one by one and in pairs, by class: which cell of each
// table a row is in.
//
// Enters: for each column public edges, or a number of categories, and a code for each of their
// cells; which tables to count. Leaves: for a row with values x and class k one cell of every
// table, whatever the values are: so a row changes one count of each table by 1
// (docs/proofs/tree_model.md). A value that is missing (NaN, no category's number) is in a cell of
// its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpmix {

// How one column is cut. Cell i of a number holds edge i-1 <= x < edge i, without end at both ends.
struct ColumnCells {
  std::vector<double> edges;  // ascending; of categories: none
  int categories = 0;         // 0: a number
  std::vector<int> code;      // of each cell, and of missing values, which come last

  void check() const;                // Error PV005 unless it is as said
  std::size_t needed_codes() const;  // of its cells, and of missing values
  int cells() const { return static_cast<int>(code.size()); }  // missing counts as one
  int codes() const;                                           // 1 + the largest
  int cell(double x) const;
  int code_of(double x) const { return code[static_cast<std::size_t>(cell(x))]; }
};

struct MarginalTable {
  int a = 0, b = -1;  // columns; b -1: of a alone
  bool by_class = true;
};

class MarginalTables {
 public:
  static constexpr int most_columns = 100;
  static constexpr int most_cells = 1 << 20;  // of all tables together, and of a column's edges

  // Error PV005 unless they are as said: 1 to most_columns columns, edges ascending, codes from 0,
  // tables of two different columns, in all at most most_cells cells.
  MarginalTables(int classes, std::vector<ColumnCells> columns, std::vector<MarginalTable> tables);

  int classes() const { return classes_; }
  int columns() const { return static_cast<int>(columns_.size()); }
  const ColumnCells& column(int i) const { return columns_[static_cast<std::size_t>(i)]; }
  int tables() const { return static_cast<int>(tables_.size()); }
  const MarginalTable& table(int t) const { return tables_[static_cast<std::size_t>(t)]; }
  int cells() const { return cells_; }
  // The number of a table's cells, which lie by class, then by a's code, then by b's.
  int size(int t) const;
  template <class T>
  std::span<T> part(std::span<T> counts, int t) const {
    return counts.subspan(static_cast<std::size_t>(offsets_[static_cast<std::size_t>(t)]),
                          static_cast<std::size_t>(size(t)));
  }

  // Adds a row. x: of all columns, whatever they hold; 0 <= k < classes.
  void add(int k, std::span<const double> x, std::int64_t* counts) const;

  // The constant argument of dpmix_internal.marginal_counts. unpack: Error PV005.
  std::vector<double> pack() const;
  static MarginalTables unpack(std::span<const double> packed);

 private:
  int classes_;
  std::vector<ColumnCells> columns_;
  std::vector<MarginalTable> tables_;
  std::vector<int> offsets_, codes_;  // of each table; of each column
  int cells_ = 0;
};

}  // namespace dpmix
