// Exact rounded Gaussian: round(sigma * N), N standard normal.
// P(k) = Phi((k+1/2)/sigma) - Phi((k-1/2)/sigma), exactly (rounded down instead,
// Phi((k+1)/sigma) - Phi(k/sigma)): a uniform point under the normal curve,
// of which one random word tells the strip, the sign and 50 digits of the place within the strip;
// more digits are drawn until the rounding is decided. See docs/proofs/samplers.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/base/int128.hpp"
#include "core/random/normal_cells.hpp"
#include "core/random/normal_point.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

enum class Rounding { nearest, down };

class RoundedNormal {
 public:
  // sigma in units of the lattice: 0 < sigma <= 2^90, else Error PV005. The law depends on nothing
  // else: tests make digits short, so that ties and undecided roundings abound, and `slack`, the
  // margin left around doubles to exact arithmetic, large (at least 2^-36).
  explicit RoundedNormal(double sigma, Rounding rounding = Rounding::nearest, int digit_bits = 64,
                         double slack = kNormalSlack);

  double deviation() const { return std::ldexp(static_cast<double>(significand_), exponent_); }

  Int128 operator()(RandomStream& random) const {
    const std::uint64_t word = random.next64();
    const std::uint64_t cell = cells_->slot[word >> (64 - NormalCells::slot_bits)];
    if (cell != 0) [[likely]] {
      if (const auto rounded = round_one(cell - 1, word & place_mask)) [[likely]] {
        return with_sign(word, *rounded);
      }
    }
    return draw(random, word);
  }

 private:
  static constexpr int place_bits = kNormalPlaceBits;  // below the sign's bit
  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << place_bits) - 1;

  // The rounding of sigma (step + u) / 64, u given by its first 50 digits, if these decide it.
  // step < 2^10.
  std::optional<UInt128> round_one(std::uint64_t step, std::uint64_t place) const {
    // It rounds a number in [low, low + significand_) / 2^shift_.
    const UInt128 low = static_cast<UInt128>(step << place_bits | place) * significand_;
    if (shift_ > 64) [[likely]] {  // half_ has no lower word: the upper ones tell, with the carry
      const auto upper = static_cast<std::uint64_t>((low + half_) >> 64);
      const bool carry = static_cast<std::uint64_t>(low) > -significand_;
      const std::uint64_t rounded = upper >> (shift_ - 64);
      if ((upper + (carry ? 1 : 0)) >> (shift_ - 64) != rounded) return std::nullopt;
      return rounded;
    }
    const UInt128 rounded = (low + half_) >> shift_;
    if ((low + (significand_ - 1) + half_) >> shift_ != rounded) return std::nullopt;
    return rounded;
  }
  // The same given 64 digits more: the interval lies in [low, low + 2) / 2^shift_.
  std::optional<UInt128> round_two(std::uint64_t step, std::uint64_t place,
                                   std::uint64_t more) const {
    const UInt128 low = static_cast<UInt128>(step << place_bits | place) * significand_ +
                        (static_cast<UInt128>(more) * significand_ >> 64);
    const UInt128 rounded = (low + half_) >> shift_;
    if ((low + 1 + half_) >> shift_ != rounded) return std::nullopt;
    return rounded;
  }

  // -magnitude, or the -magnitude - 1 that is down.
  Int128 with_sign(std::uint64_t word, UInt128 magnitude) const {
    const Int128 sign = -static_cast<Int128>(word >> place_bits & 1);
    return (static_cast<Int128>(magnitude) ^ sign) - (half_ != 0 ? sign : 0);
  }
  Int128 draw(RandomStream& random, std::uint64_t word) const;

  const NormalCells* cells_;
  std::uint64_t significand_;  // sigma = significand_ * 2^exponent_
  int exponent_;
  int shift_;
  UInt128 half_;  // 2^(shift_ - 1); 0 to round down
  int digit_bits_;
  double slack_;
};

// One draw of round(sigma N), and of floor(sigma N).
Int128 rounded_normal(RandomStream& random, double sigma);
Int128 floored_normal(RandomStream& random, double sigma);

}  // namespace dpmix
