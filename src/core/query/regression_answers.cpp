#include "core/query/regression_answers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/query/integer_range.hpp"
#include "core/query/variance_answers.hpp"

namespace dpmix {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double finite(double value) {
  return std::clamp(value, -kMost, kMost);
}

double rows_of(Int128 count) {
  return static_cast<double>(std::max<Int128>(count, 1));
}

// Covariances as shares of the product of both reaches: from -1 to 1.
struct Share {
  double x_steps, y_steps;
  double unit;  // a step of the products' lattice, as a share

  explicit Share(const PairColumns& of)
      : x_steps(static_cast<double>(of.x.centred.high)),
        y_steps(static_cast<double>(of.y.centred.high)),
        unit(of.products.step / x_steps / y_steps) {}

  double product(double rows, double products) const { return unit * (products / rows); }
  double centre(double rows, double x, double y) const {
    return (x / rows / x_steps) * (y / rows / y_steps);
  }
};

double within(double share) {
  return std::clamp(share, -1.0, 1.0);
}

double covariance_share(const PairColumns& of, const PairTotals& noisy) {
  const Share share(of);
  const double rows = rows_of(noisy.count);
  return within(share.product(rows, static_cast<double>(noisy.products)) -
                share.centre(rows, static_cast<double>(noisy.x), static_cast<double>(noisy.y)));
}

// The extremes of a t - b t^2 for t from `from` to `to`, both above 0: at the ends, or at the top
// or bottom between them.
NoiseInterval parabola(double a, double b, double from, double to) {
  const auto at = [&](double t) { return a * t - b * t * t; };
  const double top = b == 0 ? from : std::clamp(a / b / 2, from, to);
  const auto [low, high] = std::minmax({at(from), at(to), at(top)});
  return {low, high};
}

NoiseInterval covariance_share_interval(const PairColumns& of, const PairTotals& noisy,
                                        const PairReach& reach) {
  const Share share(of);
  const IntegerRange count = around(noisy.count, reach.count), x = around(noisy.x, reach.x),
                     y = around(noisy.y, reach.y),
                     products = around(noisy.products, reach.products);
  const double few = rows_of(count.low), many = rows_of(count.high);
  // Sums relative to `few`, so that t is 1 there: nothing overflows.
  const double x_low = static_cast<double>(x.low) / few / share.x_steps,
               x_high = static_cast<double>(x.high) / few / share.x_steps,
               y_low = static_cast<double>(y.low) / few / share.y_steps,
               y_high = static_cast<double>(y.high) / few / share.y_steps;
  const auto [least, most] =
      std::minmax({x_low * y_low, x_low * y_high, x_high * y_low, x_high * y_high});
  const double down = share.product(few, static_cast<double>(products.low)),
               up = share.product(few, static_cast<double>(products.high));
  // Roundings at any point of the box are less than this (docs/proofs/query_regression.md).
  const double slack = 0x1p-47 * (1 + std::max(std::abs(down), std::abs(up)) +
                                  std::max(std::abs(least), std::abs(most)));
  return {within(parabola(down, most, few / many, 1).low - slack),
          within(parabola(up, least, few / many, 1).high + slack)};
}

SpreadCells x_spread(const PairTotals& cells) {
  return {cells.count, cells.x, cells.x_squares};
}
SpreadCells y_spread(const PairTotals& cells) {
  return {cells.count, cells.y, cells.y_squares};
}
SpreadReach x_spread(const PairReach& reach) {
  return {reach.count, reach.x, reach.x_squares};
}
SpreadReach y_spread(const PairReach& reach) {
  return {reach.count, reach.y, reach.y_squares};
}

// Both of these grow with c; they fall with what divides where c > 0, and grow where c < 0. Each
// operation is rounded correctly, so that this is so of the doubles too.
double correlation_of(double c, double deviations) {
  return deviations > 0 ? within(c / deviations) : 0;
}
// The slope in units of the reach of y over that of x. No line of rows within the bounds is steeper
// than 1 / sqrt(v).
double slope_of(double c, double v) {
  return v > 0 ? std::copysign(std::min(std::abs(c) / v, 1 / std::sqrt(v)), c) : 0;
}

double deviations_of(double x_share, double y_share) {
  return std::sqrt(x_share) * std::sqrt(y_share);
}

double slope_unit(const PairColumns& of) {
  return std::clamp(reach_of(of.y.centred) / reach_of(of.x.centred),
                    std::numeric_limits<double>::min(), kMost);
}

double mean_of(const PairColumn& column, Int128 count, Int128 sum) {
  return mean_answer(column.centred, column.lower, column.upper, count, sum);
}

// What a * b can be; 0 times anything is 0.
NoiseInterval product_of(const NoiseInterval& a, const NoiseInterval& b) {
  const auto times = [](double p, double q) { return p == 0 || q == 0 ? 0 : p * q; };
  const auto [low, high] = std::minmax(
      {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

}  // namespace

Lattice product_lattice(const Lattice& x, const Lattice& y, bool integral) {
  const double most = static_cast<double>(x.high) * static_cast<double>(y.high);
  return centred_lattice(-most, most, integral);
}

double covariance_answer(const PairColumns& of, const PairTotals& noisy) {
  return finite(covariance_share(of, noisy) * reach_of(of.x.centred) * reach_of(of.y.centred));
}

double correlation_answer(const PairColumns& of, const PairTotals& noisy) {
  return correlation_of(covariance_share(of, noisy),
                        deviations_of(variance_share(of.x.centred, x_spread(noisy)),
                                      variance_share(of.y.centred, y_spread(noisy))));
}

double slope_answer(const PairColumns& of, const PairTotals& noisy) {
  const double v = variance_share(of.x.centred, x_spread(noisy));
  return finite(slope_of(covariance_share(of, noisy), v) * slope_unit(of));
}

double intercept_answer(const PairColumns& of, const PairTotals& noisy) {
  return finite(mean_of(of.y, noisy.count, noisy.y) -
                slope_answer(of, noisy) * mean_of(of.x, noisy.count, noisy.x));
}

NoiseInterval covariance_interval(const PairColumns& of, const PairTotals& noisy,
                                  const PairReach& reach) {
  const NoiseInterval c = covariance_share_interval(of, noisy, reach);
  const double x = reach_of(of.x.centred), y = reach_of(of.y.centred);
  return {finite(c.low * x * y), finite(c.high * x * y)};
}

NoiseInterval correlation_interval(const PairColumns& of, const PairTotals& noisy,
                                   const PairReach& reach) {
  const NoiseInterval c = covariance_share_interval(of, noisy, reach),
                      x = variance_share_interval(of.x.centred, x_spread(noisy), x_spread(reach)),
                      y = variance_share_interval(of.y.centred, y_spread(noisy), y_spread(reach));
  const double least = deviations_of(x.low, y.low), most = deviations_of(x.high, y.high);
  // Where a variance may be 0, so may be the correlation, and any other on the side of c.
  if (least == 0) return {c.low < 0 ? -1.0 : 0.0, c.high > 0 ? 1.0 : 0.0};
  return {correlation_of(c.low, c.low < 0 ? least : most),
          correlation_of(c.high, c.high > 0 ? least : most)};
}

NoiseInterval slope_interval(const PairColumns& of, const PairTotals& noisy,
                             const PairReach& reach) {
  const NoiseInterval c = covariance_share_interval(of, noisy, reach),
                      v = variance_share_interval(of.x.centred, x_spread(noisy), x_spread(reach));
  if (v.low == 0) return {c.low < 0 ? -kInfinity : 0, c.high > 0 ? kInfinity : 0};
  const double unit = slope_unit(of);
  return {finite(slope_of(c.low, c.low < 0 ? v.low : v.high) * unit),
          finite(slope_of(c.high, c.high > 0 ? v.low : v.high) * unit)};
}

NoiseInterval intercept_interval(const PairColumns& of, const PairTotals& noisy,
                                 const PairReach& reach) {
  const auto mean = [&](const PairColumn& column, Int128 sum, double by) {
    return mean_interval(column.centred, column.lower, column.upper, noisy.count, reach.count, sum,
                         by);
  };
  const NoiseInterval y = mean(of.y, noisy.y, reach.y),
                      line = product_of(slope_interval(of, noisy, reach),
                                        mean(of.x, noisy.x, reach.x));
  const auto end = [](double from, double drop) {
    return std::isinf(drop) ? -drop : finite(from - drop);
  };
  return {end(y.low, line.high), end(y.high, line.low)};
}

}  // namespace dpmix
