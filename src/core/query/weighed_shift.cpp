#include "core/query/weighed_shift.hpp"

#include <algorithm>
#include <cmath>

#include "core/query/norm_bound.hpp"

namespace dpmix {

StatisticShift weighed_shift(const Lattice& lattice, Adjacency adjacency, const Contribution& unit,
                             const StatisticCells& cells) {
  constexpr double kRoundUp = 1 + 0x1p-47;  // more than the roundings of two roots and products
  StatisticShift shift = shift_of(lattice, adjacency, unit, cells);
  if (adjacency == Adjacency::add_remove) return shift;
  const double low = std::max(-static_cast<double>(lattice.low), 0.0);
  const double high = std::max(static_cast<double>(lattice.high), 0.0);
  const bool one_cell = std::int64_t{cells.groups} * cells.per_group == 1;
  const double ends = one_cell ? low + high : std::sqrt(2 * (low * low + high * high));
  const auto squares = static_cast<double>(norm_bound(unit, cells.groups, false, false).squares);
  shift.l2 = std::max(shift.l2, std::sqrt(squares) * ends * kRoundUp);
  return shift;
}

}  // namespace dpmix
