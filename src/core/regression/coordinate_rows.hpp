// Coded rows that are held in memory, and sums of their slopes at one coefficient after the other.
//
// Enters: coded rows (z, y), frames of CoordinateFit::frame(). Leaves: the very sum that
// LogisticPlacer gives, row by row: scores are whole numbers, so that a score that is kept and
// moved with the coefficients is the one that is made anew.
#pragma once

#include <vector>

#include "core/base/int128.hpp"
#include "core/regression/logistic_frame.hpp"

namespace dpmix {

class CoordinateRows {
 public:
  explicit CoordinateRows(int columns)  // of z
      : z_(static_cast<std::size_t>(columns)) {}

  // What a row takes.
  static std::size_t row_bytes(int columns) {
    return (static_cast<std::size_t>(columns) + 2) * sizeof(double);
  }
  void add(const double* row);  // z and y
  // The sum of slopes at j, where the frame's other slopes are 0. j 0: the intercept.
  Int128 slope(const LogisticFrame& frame, int j);

 private:
  void move_to(const std::vector<double>& coefficients);

  std::vector<std::vector<double>> z_;  // by column
  std::vector<std::int32_t> share_;     // of the target, in LogisticWeights::one
  std::vector<std::int64_t> score_;     // at the coefficients below
  std::vector<double> coefficients_;
};

}  // namespace dpmix
