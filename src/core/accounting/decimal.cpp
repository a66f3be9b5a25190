#include "core/accounting/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

// A printed double ends at 10^-324 at the latest, a rounded one of 17 digits at 10^-340.
constexpr int kScale = 350;
constexpr int kIntegerDigits = 400;
constexpr std::size_t kLongestText = 2000, kShownText = 40;

cpp_int power_of_ten(int exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

[[noreturn]] void refuse(std::string detail) {
  refuse_parameter("invalid privacy parameter", std::move(detail),
                   "Write a finite number that is 0 or more, such as 0.1 or 1e-6.");
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Moves the digits at the front of text to the end of digits.
void take_digits(std::string_view& text, std::string& digits) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  digits.append(text.begin(), end);
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
}

// A double as an exact fraction.
struct Fraction {
  cpp_int numerator, denominator;

  explicit Fraction(double value) : numerator(0), denominator(1) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    numerator = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
    exponent -= 53;
    (exponent < 0 ? denominator : numerator) <<= std::abs(exponent);
  }
  void multiply_by_power_of_ten(int exponent) {
    (exponent < 0 ? denominator : numerator) *= power_of_ten(std::abs(exponent));
  }
};

// floor(log10(value)), exactly.
int decimal_exponent(double value) {
  int exponent = static_cast<int>(std::floor(std::log10(value)));
  const auto reaches = [value](int k) {
    Fraction ratio(value);
    ratio.multiply_by_power_of_ten(-k);
    return ratio.numerator >= ratio.denominator;
  };
  while (reaches(exponent + 1)) ++exponent;
  while (!reaches(exponent)) --exponent;
  return exponent;
}

enum class Direction { down, up };

// Units of 10^-kScale in value, cut to so many significant digits.
cpp_int rounded_units(double value, int digits, Direction direction) {
  if (!(value >= 0 && value <= std::numeric_limits<double>::max())) {
    refuse("The value is not a finite number of 0 or more.");
  }
  if (value == 0) return 0;
  const int last_place = decimal_exponent(value) - digits + 1;
  Fraction count(value);
  count.multiply_by_power_of_ten(-last_place);
  if (direction == Direction::up) count.numerator += count.denominator - 1;
  return count.numerator / count.denominator * power_of_ten(last_place + kScale);
}

double nearest_double_beside(const cpp_int& units, Direction direction) {
  if (units == 0) return 0;
  const cpp_int one = power_of_ten(kScale);
  // units / one = mantissa * 2^-shift; no double is finer than 2^-1074.
  int shift = std::min(53 + static_cast<int>(msb(one)) - static_cast<int>(msb(units)), 1074);
  cpp_int numerator = units, denominator = one;
  (shift < 0 ? denominator : numerator) <<= std::abs(shift);
  cpp_int mantissa = numerator / denominator;
  bool exact = mantissa * denominator == numerator;
  while (mantissa >> 53 != 0) {
    exact = exact && !bit_test(mantissa, 0);
    mantissa >>= 1;
    --shift;
  }
  if (direction == Direction::up && !exact) ++mantissa;
  const double value = std::ldexp(mantissa.convert_to<double>(), -shift);
  return direction == Direction::down ? std::min(value, std::numeric_limits<double>::max()) : value;
}

}  // namespace

Decimal Decimal::printed(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return parse({text, static_cast<std::size_t>(end - text)});
}

Decimal Decimal::round_up(double value, int digits) {
  Decimal result;
  result.units_ = rounded_units(value, digits, Direction::up);
  return result;
}

Decimal Decimal::round_down(double value, int digits) {
  Decimal result;
  result.units_ = rounded_units(value, digits, Direction::down);
  return result;
}

Decimal Decimal::parse(std::string_view text) {
  if (text.size() > kLongestText) refuse("The number has more digits than a ledger keeps.");
  const auto malformed = [shown = std::string(text.substr(0, kShownText))] {
    refuse("\"" + shown + "\" is not a number of 0 or more.");
  };
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::string digits;
  take_digits(text, digits);
  int place = 0;  // the power of ten of the last digit
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t whole = digits.size();
    take_digits(text, digits);
    place = -static_cast<int>(digits.size() - whole);
  }
  if (digits.empty()) malformed();
  int exponent = 0;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    const bool plus = text.starts_with('+');
    if (plus) text.remove_prefix(1);
    if (plus && text.starts_with('-')) malformed();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc() || std::abs(static_cast<long>(exponent)) > 100000) malformed();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.empty()) malformed();

  // Without its zeros on either side a number in range has a bounded number of digits.
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return {};
  if (negative) malformed();
  const std::size_t significant = digits.find_last_not_of('0') + 1;
  place += exponent + static_cast<int>(digits.size() - significant);
  digits.resize(significant);
  if (place < -kScale || place + static_cast<int>(significant) > kIntegerDigits) {
    refuse("A ledger keeps numbers from 1e-350 to 1e400 and no finer than 1e-350.");
  }
  Decimal result;
  result.units_ = cpp_int(digits) * power_of_ten(place + kScale);
  return result;
}

std::string Decimal::str() const {
  std::string text = units_.str();
  if (text.size() <= kScale) text.insert(0, kScale + 1 - text.size(), '0');
  text.insert(text.size() - kScale, 1, '.');
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

double Decimal::approximate() const {
  const std::string text = str();
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? value : lower_double();
}

double Decimal::lower_double() const {
  return nearest_double_beside(units_, Direction::down);
}

double Decimal::upper_double() const {
  return nearest_double_beside(units_, Direction::up);
}

namespace {

Int128 at_most_2_125(const cpp_int& units) {
  const cpp_int most = cpp_int(1) << 125;
  return units < most ? units.convert_to<Int128>() : Int128{1} << 125;
}

}  // namespace

Int128 Decimal::lower_units(int places) const {
  return at_most_2_125(units_ / power_of_ten(kScale - places));
}

Int128 Decimal::upper_units(int places) const {
  const cpp_int unit = power_of_ten(kScale - places);
  return at_most_2_125((units_ + unit - 1) / unit);
}

Decimal& Decimal::operator+=(const Decimal& other) {
  units_ += other.units_;
  return *this;
}

Decimal& Decimal::operator-=(const Decimal& other) {
  units_ = units_ > other.units_ ? cpp_int(units_ - other.units_) : cpp_int(0);
  return *this;
}

Decimal& Decimal::operator*=(std::uint64_t factor) {
  units_ *= factor;
  return *this;
}

Decimal& Decimal::operator*=(const Decimal& factor) {
  units_ *= factor.units_;
  units_ /= power_of_ten(kScale);
  return *this;
}

Decimal& Decimal::operator/=(unsigned divisor) {
  units_ /= divisor;
  return *this;
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  return units_.compare(other.units_) <=> 0;
}

}  // namespace dpmix
