#include "core/query/variance_answers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/input/square_lattice.hpp"
#include "core/query/integer_range.hpp"

namespace dpmix {
namespace {

// Variances as shares of the largest there is, reach^2: from 0 to 1.
struct Share {
  double reach;  // half of the bounds' range, in units of the column
  double steps;  // the same in lattice steps
  double unit;   // a step of the squares' lattice, as a share

  explicit Share(const Lattice& centred)
      : reach(reach_of(centred)),
        steps(static_cast<double>(centred.high)),
        unit(square_unit(centred)) {}

  // What a mean square is above the middle, and the square of a mean. rows >= 1.
  double square(double rows, double squares) const { return unit * (squares / rows); }
  double centre(double rows, double sum) const {
    const double mean = sum / rows / steps;
    return mean * mean;
  }
  double unclamped(double rows, double sum, double squares) const {
    return (0.5 + square(rows, squares)) - centre(rows, sum);
  }

  double variance(double share) const {
    return std::min(share * reach * reach, std::numeric_limits<double>::max());
  }
  double stddev(double share) const { return std::sqrt(share) * reach; }
};

double within(double share) {
  return std::clamp(share, 0.0, 1.0);
}

double rows_of(Int128 count) {
  return static_cast<double>(std::max<Int128>(count, 1));
}

double share_answer(const Share& of, const SpreadCells& noisy) {
  return within(of.unclamped(rows_of(noisy.count), static_cast<double>(noisy.sum),
                             static_cast<double>(noisy.squares)));
}

// As a function of 1/rows a share is a concave parabola: least at an end, greatest at an end or at
// its top. It falls with the distance of the sum from 0 and grows with the squares.
NoiseInterval share_interval(const Share& of, const SpreadCells& noisy, const SpreadReach& reach) {
  const IntegerRange count = around(noisy.count, reach.count), sum = around(noisy.sum, reach.sum),
                     squares = around(noisy.squares, reach.squares);
  const double few = rows_of(count.low), many = rows_of(count.high);
  const double left = static_cast<double>(sum.low), right = static_cast<double>(sum.high);
  const double far = std::max(std::abs(left), std::abs(right));
  const double near = left > 0 ? left : right < 0 ? -right : 0;
  const double least = static_cast<double>(squares.low), most = static_cast<double>(squares.high);

  // Where the top is, had rows not to be whole: sum^2 / steps^2 / (unit squares / 2).
  const double top =
      near > 0 && most > 0 ? 2 * (near / of.steps) * (near / of.steps) / (of.unit * most) : few;
  const double best = std::clamp(top, few, many);

  // Roundings at any point of the box are less than this (docs/proofs/query.md).
  const auto slack = [&](double total, double square) {
    return 0x1p-48 * (1 + std::abs(of.square(few, square)) + of.centre(few, total));
  };
  const double low =
      std::min(of.unclamped(few, far, least), of.unclamped(many, far, least)) - slack(far, least);
  const double high = std::max({of.unclamped(few, near, most), of.unclamped(many, near, most),
                                of.unclamped(best, near, most)}) +
                      slack(near, most);
  return {within(low), within(high)};
}

}  // namespace

double square_unit(const Lattice& centred) {
  const auto steps = static_cast<double>(centred.high);
  return std::ldexp(1, square_placer(centred.high).shift - 1) / steps / steps;
}

double reach_of(const Lattice& centred) {
  return static_cast<double>(centred.high) * centred.step;
}

double variance_share(const Lattice& centred, const SpreadCells& noisy) {
  return share_answer(Share(centred), noisy);
}

NoiseInterval variance_share_interval(const Lattice& centred, const SpreadCells& noisy,
                                      const SpreadReach& reach) {
  return share_interval(Share(centred), noisy, reach);
}

double variance_answer(const Lattice& centred, const SpreadCells& noisy) {
  const Share of(centred);
  return of.variance(share_answer(of, noisy));
}

double stddev_answer(const Lattice& centred, const SpreadCells& noisy) {
  const Share of(centred);
  return of.stddev(share_answer(of, noisy));
}

NoiseInterval variance_interval(const Lattice& centred, const SpreadCells& noisy,
                                const SpreadReach& reach) {
  const Share of(centred);
  const NoiseInterval share = share_interval(of, noisy, reach);
  return {of.variance(share.low), of.variance(share.high)};
}

NoiseInterval stddev_interval(const Lattice& centred, const SpreadCells& noisy,
                              const SpreadReach& reach) {
  const Share of(centred);
  const NoiseInterval share = share_interval(of, noisy, reach);
  return {of.stddev(share.low), of.stddev(share.high)};
}

}  // namespace dpmix
