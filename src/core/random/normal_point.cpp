#include "core/random/normal_point.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "core/random/exact_exp.hpp"
#include "core/random/normal_cells.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kNormalPlaceBits) - 1;
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

// What the first digits of both say, if doubles can tell.
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

// The product is between low and low + wide, both over 2^shift.
struct Product {
  cpp_int low;
  std::uint64_t wide;
  int shift;
};
Product product_of(const NormalTerm& term) {
  const NormalPoint& point = *term.point;
  int exponent;
  const auto significand =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(term.coefficient, &exponent), 53));
  const int shift = point.place.bits + NormalCells::width_bits - (exponent - 53);
  cpp_int low = ((cpp_int(point.step) << point.place.bits) + point.place.value) * significand;
  if (point.negative) low = -low - significand;
  return {low, significand, shift};
}

cpp_int floor_shift(const cpp_int& x, int shift) {
  const cpp_int one = 1;
  return x >= 0 ? cpp_int(x >> shift) : cpp_int(-((-x + (one << shift) - 1) >> shift));
}

// The rounded sum, once the known digits decide it.
std::optional<Int128> round_known(std::span<const NormalTerm> terms) {
  int shift = 1;
  for (const NormalTerm& term : terms) shift = std::max(shift, product_of(term).shift);
  const cpp_int half = cpp_int(1) << (shift - 1);
  cpp_int low = half, wide = 0;
  for (const NormalTerm& term : terms) {
    const Product product = product_of(term);
    low += product.low << (shift - product.shift);
    wide += cpp_int(product.wide) << (shift - product.shift);
  }
  const cpp_int first = floor_shift(low, shift);
  if (floor_shift(low + wide - 1, shift) != first) return std::nullopt;
  return static_cast<Int128>(first);
}

}  // namespace

std::optional<NormalPoint> normal_point_of(RandomStream& random, std::uint64_t word, int digit_bits,
                                           double slack) {
  const bool whole_words = digit_bits == 64;
  const std::uint64_t slot = word >> (64 - NormalCells::slot_bits), place = word & kPlaceMask;
  const int known = std::min(digit_bits, kNormalPlaceBits);
  NormalPoint point = {(word >> kNormalPlaceBits & 1) != 0, 0,
                       LazyUniform{place >> (kNormalPlaceBits - known), known, digit_bits}};
  std::uint64_t cell = whole_words ? normal_cells().slot[slot] : 0;
  if (cell == 0) cell = normal_cells().find(random, slot);
  if (cell != 0) {  // a rectangle is all under the curve
    point.step = cell - 1;
    return point;
  }
  const std::uint64_t y = random.next64();
  std::optional<CellZero> zero;
  if (whole_words) zero = by_doubles(y, static_cast<double>(place) * 0x1p-50, slack);
  if (!zero) {
    LazyUniform height{y >> (64 - digit_bits), digit_bits, digit_bits};
    zero = by_digits(random, height, point.place);
  }
  if (!zero->under) return std::nullopt;
  point.step = zero->step;
  return point;
}

NormalPoint normal_point(RandomStream& random, int digit_bits) {
  for (;;) {
    if (auto point = normal_point_of(random, random.next64(), digit_bits, kNormalSlack)) {
      return *point;
    }
  }
}

Int128 rounded_sum(RandomStream& random, std::span<const NormalTerm> terms) {
  std::optional<Int128> rounded;
  while (!(rounded = round_known(terms))) {
    for (const NormalTerm& term : terms) term.point->place.reveal(random);
  }
  return *rounded;
}

}  // namespace dpmix
