#include "core/random/exact_coin.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

cpp_int shifted_down(const cpp_int& value, unsigned bits) {
  return value >> bits;
}
cpp_int shifted_up(const cpp_int& value, unsigned bits) {
  return (value + ((cpp_int(1) << bits) - 1)) >> bits;
}

}  // namespace

bool bernoulli(RandomStream& random, double p) {
  if (p >= 1) return true;
  if (!(p > 0)) return false;
  int exponent = 0;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(p, &exponent), 53));
  // p = significand 2^{exponent - 53}: as many zeros as -exponent, then less than the significand.
  int zeros = -exponent;
  for (; zeros > 64; zeros -= 64) {
    if (random.next64() != 0) return false;
  }
  if (zeros > 0 && random.next64() >> (64 - zeros) != 0) return false;
  return random.next64() >> 11 < significand;
}

Enclosure enclose_exp(double x, unsigned bits) {
  if (x > bits) return {0, 1, bits};  // e^-x < 2^-x
  // e^-x = (e^-y)^(2^halvings), y = x / 2^halvings <= 1/2.
  int exponent = 0;
  const cpp_int significand(static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53)));
  const int halvings = std::max(0, exponent + 1);
  const unsigned working = bits + 16 + static_cast<unsigned>(halvings);
  const int shift = static_cast<int>(working) + exponent - 53 - halvings;
  const cpp_int y_low = shift >= 0 ? cpp_int(significand << shift)
                                   : shifted_down(significand, static_cast<unsigned>(-shift));
  const cpp_int y_high =
      shift >= 0 ? y_low : shifted_up(significand, static_cast<unsigned>(-shift));
  // The terms of the alternating series fall: what is left out is less than the next.
  const cpp_int one = cpp_int(1) << working;
  cpp_int low = one, high = one, term_low = one, term_high = one;
  for (unsigned n = 1; term_high > 1; ++n) {
    term_low = shifted_down(term_low * y_low, working) / n;
    term_high = (shifted_up(term_high * y_high, working) + n - 1) / n;
    (n % 2 == 1 ? low : high) += n % 2 == 1 ? cpp_int(-term_high) : term_high;
    (n % 2 == 1 ? high : low) += n % 2 == 1 ? cpp_int(-term_low) : term_low;
  }
  low -= term_high;
  if (low < 0) low = 0;
  high += term_high;
  for (int i = 0; i < halvings; ++i) {
    low = shifted_down(low * low, working);
    high = shifted_up(high * high, working);
  }
  return {low, high, working};
}

}  // namespace dpmix
