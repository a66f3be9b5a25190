#include "core/random/box_radius.hpp"

#include <bit>

#include "core/random/exact_exp.hpp"

namespace dpmix {

using boost::multiprecision::cpp_int;

namespace {

// (2r + 1)^power as a sum of binomials: all factors are positive.
std::vector<cpp_int> binomial_factors(int power) {
  std::vector<cpp_int> factor(static_cast<std::size_t>(power) + 1);
  factor[0] = 1;
  for (int i = 1; i <= power; ++i) {
    for (int j = i; j >= 0; --j) {
      auto& at = factor[static_cast<std::size_t>(j)];
      at *= 1 + 2 * j;
      if (j > 0) at += 2 * j * factor[static_cast<std::size_t>(j) - 1];
    }
  }
  return factor;
}

}  // namespace

// Brackets, in units of 2^-bits, of the sum of the weights up to each j.
struct BoxRadius::Enclosed {
  std::vector<Bracket> up_to;
};

// factor_j q^j (1 - q)^(k - j): (1 - q)^(k + 1) times the sum over r of factor_j (r over j) q^r.
BoxRadius::Enclosed BoxRadius::weights(int bits) const {
  const Bracket q = exp_minus(exactly({rate_}, 1), bits);
  const cpp_int one = cpp_int(1) << bits;
  const Bracket rest = {one - q.high, one - q.low};
  std::vector<Bracket> power = {{one, one}};  // of 1 - q
  for (int i = 0; i < power_; ++i) {
    power.push_back(
        {power.back().low * rest.low >> bits, (power.back().high * rest.high >> bits) + 1});
  }
  Enclosed made;
  Bracket sum = {0, 0}, of_q = {one, one};
  for (int j = 0; j <= power_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Bracket& other = power[static_cast<std::size_t>(power_ - j)];
    sum.low += factor_[at] * (of_q.low * other.low >> bits);
    sum.high += factor_[at] * ((of_q.high * other.high >> bits) + 1);
    made.up_to.push_back(sum);
    of_q = {of_q.low * q.low >> bits, (of_q.high * q.high >> bits) + 1};
  }
  return made;
}

BoxRadius::BoxRadius(int power, double rate, int digit_bits)
    : power_(power),
      rate_(rate),
      digit_bits_(digit_bits),
      geometric_({rate}),
      factor_(binomial_factors(power)) {
  if (digit_bits_ < 64) return;  // by digits alone
  const Enclosed of = weights(256);
  for (std::size_t j = 0; j + 1 < of.up_to.size(); ++j) {
    const Bracket& up_to = of.up_to[j];
    const cpp_int low = (up_to.low << 64) / of.up_to.back().high;
    const cpp_int high = (up_to.high << 64) / of.up_to.back().low;
    if (low != high) break;  // digits tell
    at_most_.push_back(static_cast<std::uint64_t>(low));
  }
}

// A uniform number lies in the part whose end it is below. Its first digits tell nearly always.
int BoxRadius::part(RandomStream& random) const {
  LazyUniform u;
  u.digit_bits = digit_bits_;
  u.reveal(random);
  if (digit_bits_ == 64) {
    const auto first = static_cast<std::uint64_t>(u.value);
    std::size_t j = 0;
    while (j < at_most_.size() && first > at_most_[j]) ++j;
    const bool last = j == static_cast<std::size_t>(power_);
    if (last || (j < at_most_.size() && first < at_most_[j])) return static_cast<int>(j);
  }
  for (;; u.reveal(random)) {
    constexpr int more = 192;  // of which the factors take some
    const Enclosed of = weights(u.bits + more);
    const Bracket& all = of.up_to.back();
    for (int j = 0; j <= power_; ++j) {
      const Bracket& up_to = of.up_to[static_cast<std::size_t>(j)];
      const bool last = j == power_;
      if (last || (u.value + 1) * all.high <= up_to.low << u.bits) return j;
      if (u.value * all.low < up_to.high << u.bits) break;  // undecided
    }
  }
}

UInt128 BoxRadius::operator()(RandomStream& random) const {
  const int j = part(random);
  UInt128 radius = static_cast<UInt128>(j);
  for (int i = 0; i <= j; ++i) radius += geometric_(random);
  return radius;
}

UInt128 below(RandomStream& random, UInt128 bound) {
  const UInt128 most = bound - 1;
  const auto upper = static_cast<std::uint64_t>(most >> 64);
  if (upper == 0 && static_cast<std::uint64_t>(most) != ~std::uint64_t{0}) {
    return random.below(static_cast<std::uint64_t>(bound));
  }
  const int unused = std::countl_zero(upper);
  for (;;) {
    const std::uint64_t word = unused == 64 ? 0 : random.next64() >> unused;
    const UInt128 drawn = static_cast<UInt128>(word) << 64 | random.next64();
    if (drawn <= most) return drawn;
  }
}

}  // namespace dpmix
