#include "core/input/cell_cut.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double kMaxExact = 4503599627370496;  // 2^52

void check_range(double lower, double upper) {
  if (std::isfinite(lower) && std::isfinite(upper) && lower < upper) return;
  refuse_parameter(
      "bounds must be finite with lower < upper", "Cells of equal width are cut between them.",
      "Declare the range that values can have, from public knowledge, with dpmix.set_bounds.");
}

bool is_whole(double bound) {
  return std::abs(bound) <= kMaxExact && bound == std::floor(bound);
}

// Doubles in their order, as integers without gaps.
std::int64_t rank_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double of_rank(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

}  // namespace

CellPlacer cell_placer(double lower, double limit, int cells) {
  check_range(lower, limit);
  if (cells < 1 || cells > CellCut::max_cells) {
    refuse_parameter("invalid number of cells", "There can be 1 to 2^20 cells.",
                     "Ask for fewer cells.");
  }
  const double half = limit * 0.5 - lower * 0.5;  // halves, so that it does not overflow
  // Finite and positive, so that no product is NaN. Half may be 0 for denormal bounds.
  const double inverse = std::min(cells / half, std::numeric_limits<double>::max());
  return {lower * 0.5, inverse, static_cast<double>(cells - 1)};
}

CellCut::CellCut(double lower, double upper, bool integral, int most)
    : lower_(lower), upper_(upper), limit_(upper), cells_(most) {
  check_range(lower, upper);
  if (integral && is_whole(lower) && is_whole(upper)) {
    const double values = upper - lower + 1;  // at most 2^53 + 1, of which only the size matters
    values_ = 1;
    while (values / values_ > most) values_ *= 2;
    cells_ = static_cast<int>(std::ceil(values / values_));
    limit_ = lower + cells_ * values_;
  }
  placer_ = cell_placer(lower_, limit_, cells_);
}

double CellCut::first(int cell) const {
  if (values_ > 0) return std::min(lower_ + cell * values_, upper_);
  if (cell <= 0) return lower_;
  // place() is monotone: bisection between a value below the cell and one in it or above.
  std::int64_t below = rank_of(lower_), in = rank_of(upper_);
  if (placer_.place(lower_) >= cell) return lower_;
  while (below + 1 < in) {
    const std::int64_t middle = std::midpoint(below, in);
    (placer_.place(of_rank(middle)) >= cell ? in : below) = middle;
  }
  return of_rank(in);
}

double CellCut::last(int cell) const {
  if (cell >= cells_ - 1 || placer_.place(upper_) <= cell) return upper_;
  if (values_ > 0) return std::min(lower_ + (cell + 1) * values_ - 1, upper_);
  return first(cell + 1);
}

double CellCut::middle(int cell) const {
  const double low = first(cell), high = last(cell);
  return std::clamp(std::midpoint(low, high), low, high);
}

}  // namespace dpmix
