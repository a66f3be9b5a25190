// A standard normal number of which only the binary digits that somebody asked for exist, and exact
// roundings of sums of such numbers: several integers may be made of one number.
//
// Leaves: round(sum of coefficient * number), of real numbers with exactly their law. Slower than
// RoundedNormal, which makes one integer of one number. Proof: docs/proofs/samplers.md.
#pragma once

#include <optional>
#include <span>

#include "core/base/int128.hpp"
#include "core/random/lazy_uniform.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// (step + place) / 64, or minus that.
struct NormalPoint {
  bool negative;
  std::uint64_t step;
  LazyUniform place;
};

// The digits of the place that the first word has.
constexpr int kNormalPlaceBits = 50;
constexpr double kNormalSlack = 0x1p-36;
// The point of a first word, and of more where they are needed; none: this try is not under the
// curve. digit_bits, slack: tests make digits short, so that ties and undecided roundings abound,
// and the margin left around doubles to exact arithmetic large.
std::optional<NormalPoint> normal_point_of(RandomStream& random, std::uint64_t word, int digit_bits,
                                           double slack);
NormalPoint normal_point(RandomStream& random, int digit_bits = 64);

struct NormalTerm {
  double coefficient;  // above 0, at most 2^90
  NormalPoint* point;  // more of its digits are drawn where they are needed
};
Int128 rounded_sum(RandomStream& random, std::span<const NormalTerm> terms);

}  // namespace dpmix
