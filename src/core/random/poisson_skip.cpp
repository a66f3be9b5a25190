#include "core/random/poisson_skip.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/poll.hpp"

namespace dpmix {
namespace {

// Probabilities in fixed point: 192 bits of fraction leave room for the products below.
using Fixed = boost::multiprecision::uint512_t;
constexpr int fraction_bits = 192;
const Fixed one = Fixed(1) << fraction_bits;

UInt128 to_128_bits(const Fixed& numerator, const Fixed& denominator) {
  return static_cast<UInt128>(Fixed((numerator << 128) / denominator));
}

std::uint64_t checked(std::uint64_t threshold) {
  if (threshold < 1 || threshold > (std::uint64_t{1} << 32)) {
    throw Error(ErrorCode::invalid_parameter, "probability of Poisson sampling out of range",
                "It is threshold / 2^32 with a threshold of " + std::to_string(threshold) +
                    "; allowed are 1 to 2^32.",
                "Mix more rows, or sample from fewer.");
  }
  return threshold;
}

// The tables together hold block + 90 / (q block) entries: least near sqrt(90 / q).
std::uint64_t block_length(std::uint64_t threshold) {
  const double q = static_cast<double>(threshold) * 0x1p-32;
  return q >= .5 ? 1 : static_cast<std::uint64_t>(std::sqrt(90 / q));
}

// (1-q)^trials, truncated at each step.
Fixed survival(std::uint64_t threshold, std::uint64_t trials) {
  const Fixed failure = (std::uint64_t{1} << 32) - threshold;
  Fixed p = one;
  for (std::uint64_t i = 0; i < trials; ++i) {
    poll();
    p = (p * failure) >> 32;
  }
  return p;
}

InversionTable within_block(std::uint64_t threshold, std::uint64_t block) {
  const Fixed failure = (std::uint64_t{1} << 32) - threshold;
  const Fixed success_in_block = one - survival(threshold, block);
  std::vector<UInt128> cumulative;
  Fixed p = one;
  for (std::uint64_t i = 1; i < block; ++i) {
    poll();
    p = (p * failure) >> 32;
    cumulative.push_back(to_128_bits(one - p, success_in_block));
  }
  return InversionTable(cumulative);
}

// Up to where survival is less than 2^-130.
InversionTable whole_blocks(std::uint64_t threshold, std::uint64_t block) {
  const Fixed ratio = survival(threshold, block);
  std::vector<UInt128> cumulative;
  for (Fixed p = ratio; p >> (fraction_bits - 130) != 0; p = (p * ratio) >> fraction_bits) {
    poll();
    cumulative.push_back(to_128_bits(one - p, one));
  }
  return InversionTable(cumulative);
}

}  // namespace

PoissonSkip::PoissonSkip(std::uint64_t threshold)
    : block_(block_length(checked(threshold))),
      within_(within_block(threshold, block_)),
      blocks_(whole_blocks(threshold, block_)) {}

}  // namespace dpmix
