// Is a uniform deviate below e^-x? Decided by as many digits of both as it takes: the exact path
// behind every sampler here, taken when doubles cannot tell. See docs/proofs/samplers.md.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "core/base/int128.hpp"
#include "core/random/exact_rate.hpp"
#include "core/random/lazy_uniform.hpp"

namespace dpmix {

// rate * multiple.
boost::multiprecision::cpp_rational exactly(const ExactRate& rate, UInt128 multiple);

// Bounds of a number: [low, high] / 2^bits contains it.
struct Bracket {
  boost::multiprecision::cpp_int low, high;
};

// Contains e^-x; a few units wide. x >= 0.
Bracket exp_minus(const boost::multiprecision::cpp_rational& x, int bits);

// u < e^-x, x >= 0.
bool is_below_exp(RandomStream& random, LazyUniform& u,
                  const boost::multiprecision::cpp_rational& x);

// The largest integer k >= 0 with u < e^-x(k), for an x that increases from x(0) = 0.
template <class Exponent>
UInt128 largest_below_exp(RandomStream& random, LazyUniform& u, const Exponent& x) {
  UInt128 low = 0, step = 1;
  for (; is_below_exp(random, u, x(low + step)); step *= 2) low += step;
  for (UInt128 high = low + step; high - low > 1;) {
    const UInt128 middle = low + (high - low) / 2;
    (is_below_exp(random, u, x(middle)) ? low : high) = middle;
  }
  return low;
}

}  // namespace dpmix
