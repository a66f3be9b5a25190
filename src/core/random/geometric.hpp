// Exact geometric noise, in lattice units: inversion by doubles with a proved margin, and by exact
// arithmetic where they cannot tell. Rates of at least 2^-80 (epsilon 1e-6 at sensitivity 2^53 is
// 2^-73), else Error PV005. See docs/proofs/samplers.md.
#pragma once

#include "core/base/int128.hpp"
#include "core/random/exact_rate.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// P(k) = (1 - e^-r) e^{-r k}, k = 0, 1, ..., with r = rate.rate * rate.times / rate.divisor > 0.
class Geometric {
 public:
  // `slack` is the margin around -log(uniform) that is left to exact arithmetic; the law does not
  // depend on it. At least 2^-40; tests make it large.
  explicit Geometric(const ExactRate& rate, double slack = 0x1p-40);

  const ExactRate& rate() const { return rate_; }
  UInt128 operator()(RandomStream& random) const;

 private:
  std::uint64_t blocks(RandomStream& random) const;

  ExactRate rate_, block_rate_;
  int block_bits_;  // k = 2^block_bits_ * blocks + a position within the block
  double inverse_;  // of block_rate_
  double slack_;
};

// P(k) proportional to e^{-r |k|} on the integers (the geometric mechanism, Ghosh et al. 2009).
class TwoSidedGeometric {
 public:
  explicit TwoSidedGeometric(const ExactRate& rate) : magnitude_(rate) {}

  const ExactRate& rate() const { return magnitude_.rate(); }
  Int128 operator()(RandomStream& random) const;

 private:
  Geometric magnitude_;
};

// P(k) proportional to e^{-r |k|} on -limit..limit: the component of a mixture. rate and limit >=
// 0.
class TruncatedTwoSidedGeometric {
 public:
  TruncatedTwoSidedGeometric(double rate, int limit);

  int operator()(RandomStream& random) const;

 private:
  double rate_;
  int limit_;
  bool nearly_flat_;
  TwoSidedGeometric unbounded_;
};

// One draw each.
UInt128 geometric(RandomStream& random, const ExactRate& rate);
Int128 two_sided_geometric(RandomStream& random, const ExactRate& rate);
int truncated_two_sided_geometric(RandomStream& random, double rate, int limit);

}  // namespace dpmix
