#include "core/random/geometric.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace dpmix {
namespace {

constexpr double least_rate = 0x1p-80;  // keeps blocks, and every value that can occur, in 128 bits

UInt128 uniform_bits(RandomStream& random, int bits) {
  UInt128 word = random.next64();
  if (bits <= 64) return word >> (64 - bits);
  word = word << 64 | random.next64();
  return word >> (128 - bits);
}

}  // namespace

UInt128 geometric(RandomStream& random, const ExactRate& rate) {
  const double approximate =
      rate.rate * static_cast<double>(rate.times) / static_cast<double>(rate.divisor);
  if (!(approximate >= least_rate)) {
    throw Error(ErrorCode::invalid_parameter, "rate of geometric noise out of range",
                "The rate, epsilon over sensitivity, must be at least 2^-80.",
                "Use a larger epsilon or a smaller sensitivity.");
  }
  // k = block * j + i with i and j independent. Any block is correct; this one, about 1/rate,
  // makes both parts cheap.
  const int bits = std::max(0, -std::ilogb(approximate) - 1);
  const UInt128 block = static_cast<UInt128>(1) << bits;
  UInt128 i = 0;
  if (bits > 0) {
    do {
      i = uniform_bits(random, bits);
    } while (!bernoulli_exp(random, rate, i));
  }
  UInt128 j = 0;
  while (bernoulli_exp(random, rate, block)) ++j;
  return block * j + i;
}

Int128 two_sided_geometric(RandomStream& random, const ExactRate& rate) {
  for (;;) {
    const bool negative = random.bit();
    const Int128 magnitude = static_cast<Int128>(geometric(random, rate));
    if (!negative) return magnitude;
    if (magnitude != 0) return -magnitude;  // else zero would have two ways to occur
  }
}

int truncated_two_sided_geometric(RandomStream& random, double rate, int limit) {
  if (!(rate >= 0) || std::isinf(rate) || limit < 0) {
    throw Error(ErrorCode::invalid_parameter, "truncated geometric law out of range",
                "The rate must be finite and not negative, the limit not negative.",
                "Pass a valid epsilon and number of components.");
  }
  // Rejection from whichever proposal is accepted with a probability of at least 1/e.
  const bool nearly_flat = rate * limit <= 1;
  for (;;) {
    if (nearly_flat) {
      const auto width = 2 * static_cast<std::uint64_t>(limit) + 1;
      const auto k = static_cast<std::int64_t>(random.below(width)) - limit;
      const auto distance = static_cast<UInt128>(k < 0 ? -k : k);
      if (bernoulli_exp(random, {rate}, distance)) return static_cast<int>(k);
    } else {
      const Int128 k = two_sided_geometric(random, {rate});
      if (-limit <= k && k <= limit) return static_cast<int>(k);
    }
  }
}

}  // namespace dpmix
