#include "core/random/rounded_normal.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

// The rounding of m 2^exponent (i + u) / 64, of a number in [low, low + m) / 2^shift, once the
// known digits of u decide it.
std::optional<UInt128> round_exactly(std::uint64_t m, int exponent, std::uint64_t i,
                                     const LazyUniform& u, Rounding rounding) {
  const int shift = u.bits + NormalCells::width_bits - exponent;
  if (shift < 1) return std::nullopt;  // at least 2^52 integers wide
  const cpp_int low = ((cpp_int(i) << u.bits) + u.value) * m;
  const cpp_int half = rounding == Rounding::down ? cpp_int(0) : cpp_int(1) << (shift - 1);
  const cpp_int first = (low + half) >> shift, last = (low + m - 1 + half) >> shift;
  if (first != last) return std::nullopt;
  return static_cast<UInt128>(first);
}

}  // namespace

RoundedNormal::RoundedNormal(double sigma, Rounding rounding, int digit_bits, double slack)
    : digit_bits_(digit_bits), slack_(slack) {
  if (!(sigma > 0 && sigma <= 0x1p90)) {
    refuse_parameter("deviation of Gaussian noise out of range",
                     "In lattice steps it must be positive and at most 2^90.",
                     "Use a larger epsilon, a smaller sensitivity or a coarser lattice.");
  }
  static const NormalCells undecided{};  // sends every draw down the path of many digits
  cells_ = digit_bits == 64 ? &normal_cells() : &undecided;
  significand_ = static_cast<std::uint64_t>(std::ldexp(std::frexp(sigma, &exponent_), 53));
  exponent_ -= 53;
  // It is at least 18. What 120 or more rounds is below 1/2.
  shift_ = std::min(place_bits + NormalCells::width_bits - exponent_, 120);
  half_ = rounding == Rounding::down ? 0 : static_cast<UInt128>(1) << (shift_ - 1);
}

Int128 RoundedNormal::draw(RandomStream& random, std::uint64_t word) const {
  const bool whole_words = digit_bits_ == 64;
  for (;; word = random.next64()) {
    std::optional<NormalPoint> point = normal_point_of(random, word, digit_bits_, slack_);
    if (!point) continue;
    LazyUniform& u = point->place;
    if (whole_words && u.bits == place_bits && point->step < 1024) {
      const std::uint64_t place = word & place_mask;
      if (const auto rounded = round_one(point->step, place)) return with_sign(word, *rounded);
      const std::uint64_t more = random.next64();
      if (const auto rounded = round_two(point->step, place, more))
        return with_sign(word, *rounded);
      u = LazyUniform{cpp_int(place) << 64 | more, place_bits + 64};
    }
    std::optional<UInt128> rounded;
    const Rounding rounding = half_ == 0 ? Rounding::down : Rounding::nearest;
    while (!(rounded = round_exactly(significand_, exponent_, point->step, u, rounding))) {
      u.reveal(random);
    }
    return with_sign(word, *rounded);
  }
}

Int128 rounded_normal(RandomStream& random, double sigma) {
  return RoundedNormal(sigma)(random);
}

Int128 floored_normal(RandomStream& random, double sigma) {
  return RoundedNormal(sigma, Rounding::down)(random);
}

}  // namespace dpmix
