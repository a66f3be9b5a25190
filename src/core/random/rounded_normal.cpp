#include "core/random/rounded_normal.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>

#include "core/base/refuse_parameter.hpp"
#include "core/random/exact_exp.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr int scale_bits = 2 * NormalCells::width_bits + 1;  // g(i) = e^{-i^2 / 2^13}

// (i + u)^2 / 2^13, for the u given as value / 2^bits.
cpp_rational exponent_at(std::uint64_t i, const cpp_int& value, int bits) {
  const cpp_int place = (cpp_int(i) << bits) + value;
  return cpp_rational(place * place, cpp_int(1) << (2 * bits + scale_bits));
}

// Is the point (i + u, y) under the curve, y < e^{-(i+u)^2 / 2^13}?
bool is_under_curve(RandomStream& random, LazyUniform& y, std::uint64_t i, LazyUniform& u) {
  for (;; y.reveal(random), u.reveal(random)) {
    constexpr int more = 64;
    const int bits = y.bits + more;
    if ((y.value + 1) << more <= exp_minus(exponent_at(i, u.value + 1, u.bits), bits).low) {
      return true;
    }
    if (y.value << more >= exp_minus(exponent_at(i, u.value, u.bits), bits).high) return false;
  }
}

// A uniform point of cell 0, at height y and at u of the width of its step: the last that reaches
// above y. Is it under the curve?
struct CellZero {
  std::uint64_t step;
  bool under;
};

// From the first digits of both, if doubles can tell.
std::optional<CellZero> by_doubles(std::uint64_t y, double u, double slack) {
  if (y < std::uint64_t{1} << 44) return std::nullopt;
  // y < e^{-s^2 / 2^13} is s < reach.
  const double reach = std::sqrt(-0x1p13 * std::log(static_cast<double>(y) * 0x1p-64));
  const double low = reach - slack, high = reach + slack, step = std::floor(low);
  if (low < 1 || step != std::floor(high)) return std::nullopt;
  if (step + u >= low && step + u <= high) return std::nullopt;
  return CellZero{static_cast<std::uint64_t>(step), step + u < low};
}

CellZero by_digits(RandomStream& random, LazyUniform& y, LazyUniform& u) {
  const auto step = static_cast<std::uint64_t>(largest_below_exp(
      random, y, [](UInt128 i) { return cpp_rational(cpp_int(i) * i, 1 << scale_bits); }));
  return {step, is_under_curve(random, y, step, u)};
}

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
  // At least 18. What 120 or more rounds is below 1/2.
  shift_ = std::min(place_bits + NormalCells::width_bits - exponent_, 120);
  half_ = rounding == Rounding::down ? 0 : static_cast<UInt128>(1) << (shift_ - 1);
}

Int128 RoundedNormal::draw(RandomStream& random, std::uint64_t word) const {
  const bool whole_words = digit_bits_ == 64;
  for (;; word = random.next64()) {
    const std::uint64_t slot = word >> (64 - NormalCells::slot_bits), place = word & place_mask;
    std::uint64_t cell = cells_->slot[slot];
    if (cell == 0) cell = normal_cells().find(random, slot);
    std::optional<CellZero> point;
    std::uint64_t y = 0;
    if (cell != 0) {
      point = {cell - 1, true};  // a rectangle is all under the curve
    } else {
      y = random.next64();
      if (whole_words) point = by_doubles(y, static_cast<double>(place) * 0x1p-50, slack_);
    }
    if (point && !point->under) continue;

    std::optional<LazyUniform> u;  // only where 50 digits do not do
    const auto first_digits = [&] {
      const int known = std::min(digit_bits_, place_bits);
      return LazyUniform{place >> (place_bits - known), known, digit_bits_};
    };
    if (!point) {
      u = first_digits();
      LazyUniform height{y >> (64 - digit_bits_), digit_bits_, digit_bits_};
      point = by_digits(random, height, *u);
      if (!point->under) continue;
    }
    if (whole_words && (!u || u->bits == place_bits) && point->step < 1024) {
      if (const auto rounded = round_one(point->step, place)) return with_sign(word, *rounded);
      const std::uint64_t more = random.next64();
      if (const auto rounded = round_two(point->step, place, more))
        return with_sign(word, *rounded);
      u = LazyUniform{cpp_int(place) << 64 | more, place_bits + 64};
    }
    if (!u) u = first_digits();
    std::optional<UInt128> rounded;
    const Rounding rounding = half_ == 0 ? Rounding::down : Rounding::nearest;
    while (!(rounded = round_exactly(significand_, exponent_, point->step, *u, rounding))) {
      u->reveal(random);
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
