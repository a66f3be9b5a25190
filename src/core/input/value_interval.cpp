#include "core/input/value_interval.hpp"

#include <algorithm>

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Ends that are NaN (infinite ends cancelled) say nothing.
ValueInterval made(double lower, double upper, bool integral) {
  return {std::isnan(lower) ? -infinity : lower, std::isnan(upper) ? infinity : upper, integral};
}

// The interval around numbers that include its extremes.
template <size_t N>
ValueInterval around(const double (&ends)[N], bool integral) {
  double lower = infinity, upper = -infinity;
  for (double end : ends) {
    if (std::isnan(end)) return {-infinity, infinity, integral};
    lower = std::min(lower, end);
    upper = std::max(upper, end);
  }
  return {lower, upper, integral};
}

// The C library's functions are right within one unit in the last place or so, but not monotone.
ValueInterval outward(ValueInterval value) {
  for (int i = 0; i < 8; i++) {
    value.lower = std::nextafter(value.lower, -infinity);
    value.upper = std::nextafter(value.upper, infinity);
  }
  // A value below the normal range may be flushed or off by more than a few of its own units.
  const double least = std::numeric_limits<double>::min();
  if (std::abs(value.lower) < 2 * least) value.lower = std::min(value.lower, -2 * least);
  if (std::abs(value.upper) < 2 * least) value.upper = std::max(value.upper, 2 * least);
  return value.integral ? whole(value.lower, value.upper) : value;
}

double magnitude(const ValueInterval& a) {
  return std::max(std::abs(a.lower), std::abs(a.upper));
}

double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;  // all that is below an infinite end is finite, or missing
}

ValueInterval product(const ValueInterval& a, const ValueInterval& b) {
  const double ends[] = {times(a.lower, b.lower), times(a.lower, b.upper), times(a.upper, b.lower),
                         times(a.upper, b.upper)};
  return around(ends, a.integral && b.integral);
}

double over(double a, double b) {  // b is not 0, or is on the side of a's limit
  if (std::isinf(b)) return std::isinf(a) ? NAN : 0;
  return a / b;
}

// The quotient by divisors of one sign: ends at 0 are limits, and give infinite ends.
ValueInterval quotient_by(const ValueInterval& a, double low, double high) {
  const double sign = high > 0 ? 1 : -1;  // of a zero at an end
  const double l = low == 0 ? std::copysign(0.0, sign) : low;
  const double h = high == 0 ? std::copysign(0.0, sign) : high;
  const auto end = [](double x, double y) { return x == 0 ? 0.0 : over(x, y); };
  double ends[] = {end(a.lower, l), end(a.lower, h), end(a.upper, l), end(a.upper, h)};
  // Infinite over infinite tends to anything from 0 to infinity of its sign.
  double lower = infinity, upper = -infinity;
  const double from[] = {a.lower, a.lower, a.upper, a.upper};
  for (int i = 0; i < 4; i++) {
    const double far = std::isnan(ends[i]) ? std::copysign(infinity, from[i] * sign) : ends[i];
    lower = std::min({lower, far, std::isnan(ends[i]) ? 0 : far});
    upper = std::max({upper, far, std::isnan(ends[i]) ? 0 : far});
  }
  return {lower, upper};
}

// Divisors are not 0: there is no value then. Whole ones are at least 1 away from it.
ValueInterval division(const ValueInterval& a, const ValueInterval& b) {
  const double gap = b.integral ? 1 : 0;
  const bool positive = b.upper > 0, negative = b.lower < 0;
  if (!positive && !negative) return point(0);  // never a value
  ValueInterval result;
  if (positive) result = quotient_by(a, std::max(b.lower, gap), b.upper);
  if (negative) {
    const ValueInterval below = quotient_by(a, b.lower, std::min(b.upper, -gap));
    result = positive ? hull(result, below) : below;
  }
  result.integral = false;
  return result;
}

ValueInterval truncated_division(const ValueInterval& a, const ValueInterval& b) {
  const ValueInterval real = division(a, b);
  const bool exact = a.integral && b.integral && magnitude(a) <= 9007199254740992.0;  // 2^53
  if (exact) return {std::trunc(real.lower), std::trunc(real.upper), true};
  // Elsewhere the dividend less its remainder is rounded, and so is the quotient.
  const ValueInterval near = outward(real);
  return {std::floor(near.lower) - 1, std::ceil(near.upper) + 1, true};
}

// The interval of a remainder: below the divisor, at most the dividend, of its sign.
ValueInterval rest(const ValueInterval& a, const ValueInterval& b) {
  const bool integral = a.integral && b.integral;
  const double most = std::min(magnitude(a), std::max(magnitude(b) - (integral ? 1 : 0), 0.0));
  return {a.lower < 0 ? -most : 0, a.upper > 0 ? most : 0, integral};
}

// Powers of a base that is not negative: exp(b ln a) has its extremes in the corners.
ValueInterval power_of_positive(const ValueInterval& a, const ValueInterval& b) {
  const double low = a.lower + 0.0, high = a.upper + 0.0;  // not -0, whose powers have a sign
  const double ends[] = {std::pow(low, b.lower), std::pow(low, b.upper), std::pow(high, b.lower),
                         std::pow(high, b.upper)};
  ValueInterval result = around(ends, false);
  result.integral = a.integral && b.integral && b.lower >= 0;
  result = outward(result);
  result.lower = std::max(result.lower, 0.0);
  return result;
}

ValueInterval power(const ValueInterval& a, const ValueInterval& b) {
  if (a.lower >= 0) return power_of_positive(a, b);
  // Powers of negative numbers exist for whole exponents, with either sign.
  const ValueInterval size = {a.upper > 0 ? 0 : -a.upper, magnitude(a), a.integral};
  const ValueInterval powers = power_of_positive(size, b);
  const bool constant = b.lower == b.upper && b.lower == std::floor(b.lower) && b.finite();
  if (constant && std::fmod(b.lower, 2) == 0) return powers;
  if (constant && b.lower > 0) {
    const ValueInterval below = power_of_positive({0, -a.lower, a.integral}, b);
    const ValueInterval above = power_of_positive({0, std::max(a.upper, 0.0), a.integral}, b);
    const double nearest =  // of bases that are all negative
        a.upper < 0 ? -power_of_positive({-a.upper, -a.upper, a.integral}, b).lower : above.upper;
    return {-below.upper, nearest, powers.integral};
  }
  return {-powers.upper, powers.upper, powers.integral};
}

ValueInterval logarithm(RowOperation operation, const ValueInterval& a) {
  const auto end = [operation](double x) { return x <= 0 ? -infinity : *evaluate(operation, x); };
  return outward({end(a.lower), end(a.upper)});
}

ValueInterval log_to_base(const ValueInterval& base, const ValueInterval& a) {
  const ValueInterval below = logarithm(RowOperation::natural_log, base);
  const ValueInterval above = logarithm(RowOperation::natural_log, a);
  return outward(division(above, below));
}

ValueInterval absolute(const ValueInterval& a) {
  if (a.lower >= 0) return a;
  return {a.upper > 0 ? 0 : -a.upper, magnitude(a), a.integral};
}

// Rounded correctly and growing: the ends are where the ends go.
ValueInterval mapped(RowOperation operation, const ValueInterval& a, double b, bool integral) {
  const auto end = [&](double x, double beyond) {
    const std::optional<double> value = evaluate(operation, x, b);
    return value ? *value : beyond;
  };
  return {end(a.lower, -infinity), end(a.upper, infinity), integral};
}

ValueInterval interval_at_digits(RowOperation operation, const ValueInterval& a,
                                 const ValueInterval& digits) {
  if (digits.lower != digits.upper) return {};
  if (digits.lower <= 0) return mapped(operation, a, digits.lower, true);
  if (a.integral) return a;
  return outward(mapped(operation, a, digits.lower, false));  // twice rounded
}

}  // namespace

ValueInterval point(double value) {
  return {value, value, value == std::floor(value) && std::isfinite(value)};
}

ValueInterval whole(double lower, double upper) {
  const double inner = std::ceil(lower), outer = std::floor(upper);
  if (inner <= outer) return {inner, outer, true};
  return {lower, upper, false};
}

ValueInterval hull(const ValueInterval& a, const ValueInterval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper), a.integral && b.integral};
}

ValueInterval interval_of(RowOperation operation, const ValueInterval& a, const ValueInterval& b) {
  switch (operation) {
    case RowOperation::add:
      return made(a.lower + b.lower, a.upper + b.upper, a.integral && b.integral);
    case RowOperation::subtract:
      return made(a.lower - b.upper, a.upper - b.lower, a.integral && b.integral);
    case RowOperation::multiply:
      return product(a, b);
    case RowOperation::divide:
      return division(a, b);
    case RowOperation::quotient:
      return truncated_division(a, b);
    case RowOperation::remainder:
      return rest(a, b);
    case RowOperation::power:
      return power(a, b);
    case RowOperation::log_base:
      return log_to_base(a, b);
    case RowOperation::round_digits:
    case RowOperation::trunc_digits:
      return interval_at_digits(operation, a, b);
    case RowOperation::negate:
      return {-a.upper, -a.lower, a.integral};
    case RowOperation::absolute:
      return absolute(a);
    case RowOperation::floor:
    case RowOperation::ceiling:
    case RowOperation::round:
    case RowOperation::round_even:
    case RowOperation::truncate:
    case RowOperation::sign:
      return mapped(operation, a, 0, true);
    case RowOperation::sign_or_zero:  // of NaN, too
      return hull(mapped(operation, a, 0, true), point(0));
    case RowOperation::square_root:
      return {a.lower > 0 ? std::sqrt(a.lower) : 0, a.upper > 0 ? std::sqrt(a.upper) : 0};
    case RowOperation::cube_root:
      return outward({std::cbrt(a.lower), std::cbrt(a.upper)});
    case RowOperation::exponential: {
      ValueInterval result = outward({std::exp(a.lower), std::exp(a.upper)});
      result.lower = std::max(result.lower, 0.0);
      return result;
    }
    case RowOperation::natural_log:
    case RowOperation::log10:
      return logarithm(operation, a);
  }
  return {};
}

ValueInterval greatest_of(std::span<const ExtremeArgument> arguments) {
  ValueInterval result = arguments.front().interval;
  double certain = -infinity;  // what is never passed over
  for (const ExtremeArgument& argument : arguments) {
    result = hull(result, argument.interval);
    if (argument.present) certain = std::max(certain, argument.interval.lower);
  }
  result.lower = std::max(result.lower, certain);
  return result;
}

ValueInterval least_of(std::span<const ExtremeArgument> arguments) {
  ValueInterval result = arguments.front().interval;
  double certain = infinity;
  for (const ExtremeArgument& argument : arguments) {
    result = hull(result, argument.interval);
    if (argument.present) certain = std::min(certain, argument.interval.upper);
  }
  result.upper = std::min(result.upper, certain);
  return result;
}

}  // namespace dpmix
