#include "core/random/geometric.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/refuse_parameter.hpp"
#include "core/random/bernoulli_exp.hpp"
#include "core/random/exact_exp.hpp"

namespace dpmix {
namespace {

constexpr double least_rate = 0x1p-80;  // keeps a place in a block in 64 bits
// Block rates from here on leave the margin of the doubles undecided once in 2^19 draws or less.
constexpr int least_block_exponent = -20;

}  // namespace

Geometric::Geometric(const ExactRate& rate, double slack) : rate_(rate), slack_(slack) {
  const double approximate = rate.approximate();
  if (!(approximate >= least_rate) || std::isinf(rate.rate) || rate.divisor == 0) {
    refuse_parameter("rate of geometric noise out of range",
                     "The rate, epsilon over sensitivity, must be finite and at least 2^-80.",
                     "Use a larger epsilon or a smaller sensitivity.");
  }
  block_bits_ = std::max(0, least_block_exponent - std::ilogb(std::min(approximate, 1.)));
  block_rate_ = {std::ldexp(rate.rate, block_bits_), rate.times, rate.divisor};
  inverse_ = 1 / block_rate_.approximate();
}

// The largest j with U < e^{-block_rate j}, U uniform: P(j or more) = e^{-block_rate j}.
std::uint64_t Geometric::blocks(RandomStream& random) const {
  const std::uint64_t word = random.next64();
  if (word >= std::uint64_t{1} << 44) {  // else the digits to come move log U by more than 2^-44
    const double exponential = -std::log(static_cast<double>(word) * 0x1p-64);
    const auto low = static_cast<std::uint64_t>(std::max(0., exponential - slack_) * inverse_);
    const auto high = static_cast<std::uint64_t>((exponential + slack_) * inverse_);
    if (low == high) return low;
  }
  LazyUniform u{word, 64};
  return static_cast<std::uint64_t>(
      largest_below_exp(random, u, [this](UInt128 j) { return exactly(block_rate_, j); }));
}

UInt128 Geometric::operator()(RandomStream& random) const {
  if (block_bits_ == 0) return blocks(random);
  // k = block * j + i with i and j independent.
  std::uint64_t i = 0;
  do {
    i = random.next64() >> (64 - block_bits_);
  } while (!bernoulli_exp(random, rate_, i));
  return (static_cast<UInt128>(blocks(random)) << block_bits_) + i;
}

Int128 TwoSidedGeometric::operator()(RandomStream& random) const {
  for (;;) {
    const Int128 sign = random.bit() ? -1 : 0;
    const auto magnitude = static_cast<Int128>(magnitude_(random));
    if (sign == 0 || magnitude != 0) {  // else zero would have two ways to occur
      return (magnitude ^ sign) - sign;
    }
  }
}

TruncatedTwoSidedGeometric::TruncatedTwoSidedGeometric(double rate, int limit)
    : rate_(rate),
      limit_(limit),
      nearly_flat_(rate * limit <= 1),
      // Where the law is nearly flat it is not proposed from, and its rate may be 0.
      unbounded_({nearly_flat_ ? 1 : rate}) {
  if (!(rate >= 0) || limit < 0) {
    refuse_parameter("truncated geometric law out of range",
                     "The rate must be finite and not negative, the limit not negative.",
                     "Pass a valid epsilon and number of components.");
  }
}

// Rejection from whichever proposal is accepted with a probability of at least 1/e.
int TruncatedTwoSidedGeometric::operator()(RandomStream& random) const {
  for (;;) {
    if (nearly_flat_) {
      const auto width = 2 * static_cast<std::uint64_t>(limit_) + 1;
      const auto k = static_cast<std::int64_t>(random.below(width)) - limit_;
      const auto distance = static_cast<UInt128>(k < 0 ? -k : k);
      if (bernoulli_exp(random, {rate_}, distance)) return static_cast<int>(k);
    } else {
      const Int128 k = unbounded_(random);
      if (-limit_ <= k && k <= limit_) return static_cast<int>(k);
    }
  }
}

UInt128 geometric(RandomStream& random, const ExactRate& rate) {
  return Geometric(rate)(random);
}

Int128 two_sided_geometric(RandomStream& random, const ExactRate& rate) {
  return TwoSidedGeometric(rate)(random);
}

int truncated_two_sided_geometric(RandomStream& random, double rate, int limit) {
  return TruncatedTwoSidedGeometric(rate, limit)(random);
}

}  // namespace dpmix
