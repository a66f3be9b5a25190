#include "core/query/contribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/next_double.hpp"
#include "core/query/plan.hpp"

namespace dpmix {
namespace {

// Covers the roundings of a sum of a few squares and of its root.
constexpr double kRoundUp = 1 + 0x1p-48;

// A product of whole numbers, rounded up where no double is it.
double product(double a, double b) {
  const double rounded = a * b;
  return std::fma(a, b, -rounded) > 0 ? next_up(rounded) : rounded;
}

double root_of(double sum_of_squares) {
  return std::sqrt(sum_of_squares) * kRoundUp;
}

// A unit's rows over cells: `full` cells of most rows each, and the rest of its rows in one more.
struct Spread {
  double rows, most, full, rest;
};

// The largest norm of y - x, where x and y are sums of two spreads of rows with indices in
// [-low, high]: a convex function, so the largest is at corners, which are full cells and a rest
// each. Of two full cells, and of two rests, either the same cell or two; or each rest in a full
// cell of the other.
double l2_of_change(const Spread& spread, double low, double high) {
  const double a = std::max(low, high), b = std::min(low, high);
  const double pair = std::max(2 * a * a, (a + b) * (a + b));
  const double full = spread.most, rest = spread.rest;
  const double apart = pair * (full * full + rest * rest);
  const double crossed = 2 * (a * full + b * rest) * (a * full + b * rest);
  return root_of((spread.full - 1) * pair * full * full + std::max(apart, crossed));
}

}  // namespace

Contribution contribution_of(int rows, std::optional<int> max_groups) {
  const int groups = std::min(max_groups.value_or(rows), rows);
  const int per_group = max_groups ? (rows - 1) / *max_groups + 1 : rows;
  return {rows, per_group, groups};
}

StatisticShift shift_of(const Lattice& lattice, Adjacency adjacency, const Contribution& unit,
                        const StatisticCells& cells) {
  const std::int64_t all_cells = std::int64_t{cells.groups} * cells.per_group;
  if (unit.rows == 1) return statistic_shift(lattice, adjacency, all_cells > 1);

  const std::int64_t groups = std::min(unit.groups, cells.groups);
  const std::int64_t most = unit.rows_per_group;
  const std::int64_t rows = std::min<std::int64_t>(unit.rows, groups * most);
  const std::int64_t occupied =
      std::min(rows, groups * std::min<std::int64_t>(most, cells.per_group));
  const double coming = static_cast<double>(sensitivity_add_remove(lattice));
  const Spread spread{static_cast<double>(rows), static_cast<double>(most),
                      static_cast<double>(rows / most), static_cast<double>(rows % most)};
  const double each = product(spread.most, coming);
  // Where all cells can be full, a piece is a full cell; else a row.
  const std::int64_t pieces = occupied * most == rows ? occupied : rows;
  if (adjacency == Adjacency::add_remove) {
    const double l2 =
        occupied == 1
            ? each
            : coming *
                  root_of(spread.full * spread.most * spread.most + spread.rest * spread.rest) *
                  kRoundUp;
    return {each, product(spread.rows, coming), l2, static_cast<int>(occupied),
            static_cast<int>(pieces)};
  }
  // WHERE may admit any of the rows before or after only, so coming and going count here too.
  const double change = std::max(coming, static_cast<double>(sensitivity_replace(lattice)));
  const double changed = product(spread.most, change);
  const std::int64_t moved = std::min(2 * occupied, all_cells);
  const double l1 = product(2 * spread.rows, coming);
  const double l1_by_cells = product(static_cast<double>(moved), changed);
  const double low = std::max(-static_cast<double>(lattice.low), 0.0);
  const double high = std::max(static_cast<double>(lattice.high), 0.0);
  const double l2_by_cells =
      moved == 1 ? changed : changed * root_of(static_cast<double>(moved)) * kRoundUp;
  return {changed, std::min(l1, l1_by_cells),
          std::min(l2_of_change(spread, low, high), l2_by_cells), static_cast<int>(moved),
          static_cast<int>(l1_by_cells <= l1 ? moved : 2 * pieces)};
}

StatisticShift shift_of_units(Adjacency adjacency, const Contribution& unit, int groups) {
  return shift_of(kCountLattice, adjacency, {unit.groups, 1, unit.groups}, {groups, 1});
}

StatisticShift shift_of_distinct(Adjacency adjacency, const Contribution& unit, int groups,
                                 int values) {
  Contribution some = unit;
  some.rows_per_group = std::min(unit.rows_per_group, values);
  return shift_of(kCountLattice, adjacency, some, {groups, 1});
}

}  // namespace dpmix
