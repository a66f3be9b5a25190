// What a row is before its moments are summed, where its values themselves would say little: a
// number for each code of each column, by class.
//
// Enters: released numbers: how columns are cut, and the score of each code in each class. Leaves:
// for a row with values x and class k a vector of scores within +-most, whatever the values are.
#pragma once

#include <span>
#include <vector>

#include "core/stats/marginal_tables.hpp"

namespace dpmix {

class CodeScores {
 public:
  static constexpr double most = 3;

  // scores: of each column, by class, then code. Error PV005 unless they fit the columns and lie
  // within +-most.
  CodeScores(int classes, std::vector<ColumnCells> columns,
             std::vector<std::vector<double>> scores);

  int classes() const { return classes_; }
  int columns() const { return static_cast<int>(columns_.size()); }
  // x: of all columns; 0 <= k < classes.
  void look_up(int k, std::span<const double> x, double* scores) const;

  // The front of an aggregate's constant argument (Pass::pack()), whose other numbers follow.
  std::vector<double> pack() const;
  // Error PV005.
  static CodeScores unpack_front(std::span<const double> packed);

 private:
  int classes_;
  std::vector<ColumnCells> columns_;
  std::vector<std::size_t> codes_;  // of each column
  std::vector<std::vector<double>> scores_;
};

// What follows the scores in such an argument; all of it where there are none.
std::span<const double> after_scores(std::span<const double> packed);

}  // namespace dpmix
