// Which cell of a grid a row lies in, as seen from each of some views.
//
// Enters: a MomentFrame with one class for each view, how many of a row's first coordinates are
// looked at, and into how many cells each of them is cut; all public or released before. Leaves,
// for each row and view, the number of a cell: coordinate i from -radius to radius is cut into
// `side` parts, the first coordinate counting slowest. Guaranteed: one cell in each view, in
// 0..bins-1, or the row is missing in all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/input/moment_frame.hpp"

namespace dpmix {

struct CellGrid {
  static constexpr int max_bins = 1 << 20;  // of all views together

  MomentFrame frame;  // its classes are the views
  int axes = 1, side = 1;

  int bins() const;
  std::vector<double> extra() const;  // what follows the frame in a pass: axes, side
  // The grid of frame and extra together. Error PV005 unless 1 <= axes <= features, side >= 1 and
  // there are at most max_bins cells.
  static CellGrid unpack(std::span<const double> packed);

  // The cell's middle along one coordinate, in units of W (x - c).
  double middle(std::size_t view, int part) const {
    return frame.classes[view].radius * ((2 * part + 1) / static_cast<double>(side) - 1);
  }
};

// q: a placed row, its first `axes` coordinates within +-resolution.
inline int cell_of(const std::int32_t* q, int axes, int side, std::int64_t resolution) {
  std::int64_t cell = 0;
  for (int i = 0; i < axes; ++i) {
    cell = cell * side + (q[i] + resolution) * side / (2 * resolution + 1);
  }
  return static_cast<int>(cell);
}

}  // namespace dpmix
