// Exact non-negative decimals: what epsilon and delta are to a ledger. 40 x 0.1 is 4.
//
// Enters: text as PostgreSQL prints it, or a double >= 0. Leaves: text that numeric_in reads, or a
// double rounded as its function says. Guarantees: sums and comparisons are exact; every printed
// double is held exactly (350 fractional digits, below 10^400). Anything else is Error PV005.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/int128.hpp"

namespace dpmix {

class Decimal {
 public:
  Decimal() = default;
  // The shortest decimal that reads back as value: what PostgreSQL prints for a float8. (From 2^52
  // on PostgreSQL may print one more digit, where the shortest lies midway between two doubles.)
  static Decimal printed(double value);
  // The least decimal of `digits` significant digits that is >= value (the greatest, <= value), of
  // the double's exact binary value. 1 <= digits <= 17.
  static Decimal round_up(double value, int digits = 12);
  static Decimal round_down(double value, int digits = 12);
  // Plain or exponent notation as numeric_out and float8out write it; throws Error PV005.
  static Decimal parse(std::string_view text);

  std::string str() const;     // plain digits, as numeric_out writes them; no trailing zeros
  double approximate() const;  // the nearest double
  // The largest double <= this / the smallest double >= this.
  double lower_double() const;
  double upper_double() const;
  // How many units of 10^-places, rounded down or up; at most 2^125, whatever more there are.
  Int128 lower_units(int places) const;
  Int128 upper_units(int places) const;

  Decimal& operator+=(const Decimal& other);
  Decimal& operator-=(const Decimal& other);  // saturates at 0
  Decimal& operator*=(std::uint64_t factor);
  Decimal& operator*=(const Decimal& factor);  // rounded down, at the 350th digit
  Decimal& operator/=(unsigned divisor);       // rounded down, at the 350th digit
  friend Decimal operator+(Decimal a, const Decimal& b) { return a += b; }
  friend Decimal operator-(Decimal a, const Decimal& b) { return a -= b; }
  friend Decimal operator/(Decimal a, unsigned b) { return a /= b; }
  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const = default;

 private:
  boost::multiprecision::cpp_int units_ = 0;  // of 10^-kScale
};

}  // namespace dpmix
