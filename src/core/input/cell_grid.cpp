#include "core/input/cell_grid.hpp"

#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {

int CellGrid::bins() const {
  int bins = 1;
  for (int i = 0; i < axes; ++i) bins *= side;
  return bins;
}

std::vector<double> CellGrid::extra() const {
  return {static_cast<double>(axes), static_cast<double>(side)};
}

CellGrid CellGrid::unpack(std::span<const double> packed) {
  CellGrid grid;
  grid.frame = MomentFrame::unpack_front(packed);
  const auto whole = [](double v, double most) {
    return v >= 1 && v <= most && v == std::floor(v);
  };
  if (packed.size() != 2 || !whole(packed[0], grid.frame.features) || !whole(packed[1], max_bins) ||
      std::pow(packed[1], packed[0]) * static_cast<double>(grid.frame.classes.size()) > max_bins) {
    refuse_parameter(
        "invalid grid of cells",
        "After the frame come two integers: axes, from 1 to the number of features, and "
        "side, at least 1, with at most 2^20 cells side ^ axes of all classes together.",
        "Use the layout in the comment on dpmix_internal.cells.");
  }
  grid.axes = static_cast<int>(packed[0]);
  grid.side = static_cast<int>(packed[1]);
  return grid;
}

}  // namespace dpmix
