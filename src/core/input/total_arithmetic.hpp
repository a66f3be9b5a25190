// Arithmetic over the values of a row, in double precision: total, so that no row can raise.
//
// Enters: any doubles, NaN and infinities too. Leaves: what PostgreSQL's own operator on float8 (or
// numeric) gives, or nothing where that raises an error for want of a value: division by zero, a
// root or logarithm of what has none, a result beyond the range of a double. A result too close to
// 0 is 0. NaN stays NaN, and infinite arguments follow IEEE 754, as in PostgreSQL.
#pragma once

#include <cmath>
#include <optional>

namespace dpmix {

enum class RowOperation {
  add,
  subtract,
  multiply,
  divide,
  quotient,   // towards 0, as SQL divides integers
  remainder,  // of that, with the sign of the dividend
  power,
  log_base,      // a: base
  round_digits,  // half away from 0, as numeric; b: decimals, a whole number from -22 to 22
  trunc_digits,
  negate,  // the rest takes one argument
  absolute,
  floor,
  ceiling,
  round,       // half away from 0, as numeric
  round_even,  // half to even, as float8
  truncate,
  sign,          // of NaN: NaN, as numeric
  sign_or_zero,  // of NaN: 0, as float8
  square_root,
  cube_root,
  exponential,
  natural_log,
  log10,
};
inline constexpr int kRowOperations = static_cast<int>(RowOperation::log10) + 1;
constexpr bool takes_two(RowOperation operation) {
  return operation < RowOperation::negate;
}

namespace detail {

// Results beyond the range have no value, unless an argument was infinite.
inline std::optional<double> in_range(double result, double a, double b) {
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) return std::nullopt;
  return result;
}

inline std::optional<double> quotient(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (b == 0) return std::nullopt;
  if (std::isinf(a)) return a / b;
  // The remainder is exact, so the quotient of whole numbers up to 2^53 is, too.
  return in_range(std::trunc((a - std::fmod(a, b)) / b), a, b);
}

inline std::optional<double> remainder(double a, double b) {
  if (b == 0 && !std::isnan(a)) return std::nullopt;
  return std::fmod(a, b);
}

inline std::optional<double> power(double a, double b) {
  if (a == 0 && b < 0) return std::nullopt;
  if (a < 0 && b != std::floor(b) && !std::isnan(b)) return std::nullopt;
  return in_range(std::pow(a, b), a, b);
}

inline std::optional<double> natural_log(double a) {
  if (a <= 0) return std::nullopt;
  return std::log(a);
}

inline std::optional<double> log_base(double base, double a) {
  if (base <= 0 || a <= 0 || base == 1) return std::nullopt;
  return std::log(a) / std::log(base);
}

// Rounds to whole numbers of units 10^-digits. Ten to the 22nd is the last power that is a double.
template <class Round>
double at_digits(double a, double digits, Round round) {
  double unit = 1;
  for (int i = 0; i < 22 && i < std::abs(digits); i++) unit *= 10;
  if (digits < 0) return round(a / unit) * unit;
  const double units = a * unit;  // from 2^52 on, a double has no digits below this unit
  return std::abs(units) < 4503599627370496.0 ? round(units) / unit : a;
}

}  // namespace detail

inline std::optional<double> evaluate(RowOperation operation, double a, double b = 0) {
  switch (operation) {
    case RowOperation::add:
      return detail::in_range(a + b, a, b);
    case RowOperation::subtract:
      return detail::in_range(a - b, a, b);
    case RowOperation::multiply:
      return detail::in_range(a * b, a, b);
    case RowOperation::divide:
      if (b == 0 && !std::isnan(a)) return std::nullopt;
      return detail::in_range(a / b, a, b);
    case RowOperation::quotient:
      return detail::quotient(a, b);
    case RowOperation::remainder:
      return detail::remainder(a, b);
    case RowOperation::power:
      return detail::power(a, b);
    case RowOperation::log_base:
      return detail::log_base(a, b);
    case RowOperation::round_digits:
      return detail::in_range(detail::at_digits(a, b, [](double x) { return std::round(x); }), a,
                              b);
    case RowOperation::trunc_digits:
      return detail::in_range(detail::at_digits(a, b, [](double x) { return std::trunc(x); }), a,
                              b);
    case RowOperation::negate:
      return -a;
    case RowOperation::absolute:
      return std::abs(a);
    case RowOperation::floor:
      return std::floor(a);
    case RowOperation::ceiling:
      return std::ceil(a);
    case RowOperation::round:
      return std::round(a);
    case RowOperation::round_even:
      return std::rint(a);
    case RowOperation::truncate:
      return std::trunc(a);
    case RowOperation::sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case RowOperation::sign_or_zero:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case RowOperation::square_root:
      if (a < 0) return std::nullopt;
      return std::sqrt(a);
    case RowOperation::cube_root:
      return std::cbrt(a);
    case RowOperation::exponential:
      return detail::in_range(std::exp(a), a, 0);
    case RowOperation::natural_log:
      return detail::natural_log(a);
    case RowOperation::log10:
      if (a <= 0) return std::nullopt;
      return std::log10(a);
  }
  return std::nullopt;
}

}  // namespace dpmix
