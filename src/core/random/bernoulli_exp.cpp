#include "core/random/bernoulli_exp.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "core/error.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

// x = rate * multiple - whole: `low` and `high` enclose it, exact() is it.
struct Exponent {
  ExactRate rate;
  UInt128 multiple;
  std::uint64_t whole = 0;
  double low, high;

  cpp_rational exact() const {
    cpp_rational x(rate.rate);  // a double converts exactly
    x *= cpp_int(rate.times) * cpp_int(multiple);
    x /= rate.divisor;
    return x - whole;
  }
};

// Is x = rate * multiple in real numbers too? The remainders of a product and of a quotient are
// doubles, which a fused multiply-add finds.
bool is_exactly(double x, const ExactRate& rate, UInt128 multiple) {
  const auto times = static_cast<double>(rate.times), factor = static_cast<double>(multiple);
  const auto divisor = static_cast<double>(rate.divisor);
  if (!(times * factor < 0x1p53 && divisor < 0x1p53)) return false;  // else these are exact
  const double product = rate.rate * (times * factor);
  return std::fma(rate.rate, times * factor, -product) == 0 && std::fma(x, divisor, -product) == 0;
}

Exponent enclose(const ExactRate& rate, UInt128 multiple, double slack) {
  const double x = rate.rate * static_cast<double>(rate.times) * static_cast<double>(multiple) /
                   static_cast<double>(rate.divisor);
  const double low = x * (1 - slack), high = x * (1 + slack);
  // Whole exponents are common (epsilon 1 at sensitivity 1) and no enclosure would decide them.
  if (std::floor(low) != std::floor(high) && is_exactly(x, rate, multiple)) {
    return {rate, multiple, 0, x, x};
  }
  return {rate, multiple, 0, low, high};
}

// P(true) = x / k, for x / k <= 1: is a uniform below it?
bool bernoulli(RandomStream& random, const Exponent& x, int k, double slack) {
  std::uint64_t digit = random.next64();
  const double low = x.low / k * (1 - slack) * 0x1p64;
  const double high = x.high / k * (1 + slack) * 0x1p64;
  if (digit < static_cast<std::uint64_t>(low)) return true;
  if (high < 0x1p64 && digit > static_cast<std::uint64_t>(high)) return false;
  // Undecided: long division yields the digits of x / k, the stream those of the uniform.
  const cpp_rational fraction = x.exact() / k;
  const cpp_int denominator = boost::multiprecision::denominator(fraction);
  cpp_int remainder = boost::multiprecision::numerator(fraction);
  cpp_int quotient;
  for (;; digit = random.next64()) {
    remainder <<= 64;
    boost::multiprecision::divide_qr(cpp_int(remainder), denominator, quotient, remainder);
    if (quotient != digit) return digit < quotient;
  }
}

// P(true) = e^-x for 0 <= x <= 1: the first k whose coin fails is odd.
bool alternating_series(RandomStream& random, const Exponent& x, double slack) {
  int k = 1;
  while (bernoulli(random, x, k, slack)) ++k;
  return k % 2 == 1;
}

bool bernoulli_exp_1(RandomStream& random, double slack) {
  static constexpr Exponent one{{1}, 1, 0, 1, 1};
  return alternating_series(random, one, slack);
}

}  // namespace

bool bernoulli_exp(RandomStream& random, const ExactRate& rate, UInt128 multiple, double slack) {
  if (!(rate.rate >= 0) || std::isinf(rate.rate) || rate.divisor == 0) {
    throw Error(ErrorCode::invalid_parameter, "rate of an exponential coin out of range",
                "The rate must be finite and not negative, its divisor at least 1.",
                "Pass a valid epsilon and sensitivity.");
  }
  if (rate.rate == 0 || rate.times == 0 || multiple == 0) return true;
  Exponent x = enclose(rate, multiple, slack);
  // e^-x is e^-1 for each whole unit times the rest.
  const double units = std::floor(x.low);
  for (; static_cast<double>(x.whole) < units; ++x.whole) {
    if (!bernoulli_exp_1(random, slack)) return false;
  }
  x.low -= units;
  x.high -= units;
  if (x.high > 1) {  // the enclosure holds an integer: ask the exact value on which side it is
    for (; x.exact() >= 1; ++x.whole) {
      if (!bernoulli_exp_1(random, slack)) return false;
    }
    x.low = 0;
    x.high = 1;
  }
  return alternating_series(random, x, slack);
}

}  // namespace dpmix
