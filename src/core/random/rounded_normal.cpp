#include "core/random/rounded_normal.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/random/bernoulli_exp.hpp"
#include "core/random/lazy_uniform.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

// P(true) = exp(-x (2k + x) / (2k + 2)): Karney's algorithm B. A falling sequence x > z1 > z2 ...,
// each step of which also survives a coin of (2k + x) / (2k + 2), stops at an even length.
bool falls_evenly(RandomStream& random, std::uint64_t k, LazyUniform& x, int digit_bits) {
  std::optional<LazyUniform> last;
  for (bool even = true;; even = !even) {
    LazyUniform z(random, digit_bits);
    if (!LazyUniform::less(random, z, last ? *last : x)) return even;
    const std::uint64_t choice = random.below(2 * k + 2);
    if (choice == 2 * k + 1) return even;
    if (choice == 2 * k) {
      LazyUniform r(random, digit_bits);
      if (!LazyUniform::less(random, r, x)) return even;
    }
    last = std::move(z);
  }
}

// |N| = k + x for a standard normal N.
struct HalfNormal {
  std::uint64_t k;
  LazyUniform x;
};

// Karney's algorithm N: density proportional to e^{-k/2} e^{-k(k-1)/2} e^{-x(2k+x)/2}.
HalfNormal half_normal(RandomStream& random, int digit_bits) {
  for (;;) {
    std::uint64_t k = 0;
    while (bernoulli_exp(random, {.5})) ++k;
    if (k > 1 && !bernoulli_exp(random, {.5}, static_cast<UInt128>(k) * (k - 1))) continue;
    LazyUniform x(random, digit_bits);
    std::uint64_t passed = 0;
    while (passed <= k && falls_evenly(random, k, x, digit_bits)) ++passed;
    if (passed > k) return {k, std::move(x)};
  }
}

enum class Rounding { nearest, down };

// Rounding of any real in [low, low + width) / 2^shift, or nothing when that depends on which one.
// shift >= 1, low + width + 2^(shift-1) must fit.
template <class Integer>
std::optional<Integer> round_shifted(const Integer& low, const Integer& width, int shift,
                                     Rounding rounding) {
  const Integer half = rounding == Rounding::down ? Integer(0) : Integer(1) << (shift - 1);
  const Integer first = (low + half) >> shift;
  const Integer last = (low + width - 1 + half) >> shift;
  if (first != last) return std::nullopt;
  return first;
}

// Rounding of sigma * (k + x) once the known digits of x decide it: sigma = m 2^e and
// k + x in [a, a + 1) / 2^n make [a m, a m + m) / 2^(n - e).
std::optional<UInt128> round_scaled(double sigma, const HalfNormal& v, int digit_bits,
                                    Rounding rounding) {
  int exponent = 0;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(sigma, &exponent), 53));
  const auto bits = static_cast<int>(v.x.known()) * digit_bits;
  const int shift = bits - (exponent - 53);
  if (shift < 1) return std::nullopt;  // at least 2^52 integers wide
  if (bits <= 64 && v.k < 128) {
    UInt128 a = v.k;
    for (std::size_t i = 0; i < v.x.known(); ++i) a = a << digit_bits | v.x.digit(i);
    if (shift > 124) return 0;  // (a + 1) m <= 2^124
    return round_shifted<UInt128>(a * significand, significand, shift, rounding);
  }
  cpp_int a = v.k;
  for (std::size_t i = 0; i < v.x.known(); ++i) a = a << digit_bits | v.x.digit(i);
  const auto rounded = round_shifted<cpp_int>(a * significand, significand, shift, rounding);
  if (!rounded) return std::nullopt;
  return static_cast<UInt128>(*rounded);
}

// Of sigma |N|.
Int128 rounded_magnitude(RandomStream& random, double sigma, int digit_bits, Rounding rounding) {
  if (!(sigma > 0 && sigma <= 0x1p90)) {
    throw Error(ErrorCode::invalid_parameter, "deviation of Gaussian noise out of range",
                "In lattice steps it must be positive and at most 2^90.",
                "Use a larger epsilon, a smaller sensitivity or a coarser lattice.");
  }
  HalfNormal v = half_normal(random, digit_bits);
  std::optional<UInt128> magnitude;
  while (!(magnitude = round_scaled(sigma, v, digit_bits, rounding))) v.x.reveal(random);
  return static_cast<Int128>(*magnitude);
}

}  // namespace

Int128 rounded_normal(RandomStream& random, double sigma, int digit_bits) {
  const Int128 value = rounded_magnitude(random, sigma, digit_bits, Rounding::nearest);
  return random.bit() ? -value : value;
}

Int128 floored_normal(RandomStream& random, double sigma, int digit_bits) {
  const Int128 value = rounded_magnitude(random, sigma, digit_bits, Rounding::down);
  return random.bit() ? -value - 1 : value;
}

}  // namespace dpmix
