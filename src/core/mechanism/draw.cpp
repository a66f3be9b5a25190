// Exact draws of the rounded noise. Proof: docs/proofs/lattice.md.
#include <cmath>

#include "core/mechanism/noise_law.hpp"
#include "core/mechanism/quasi_gaussian.hpp"
#include "core/random/geometric.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

// The largest double r with r * b <= 1: the exact rate 1/b is no double, and a smaller one is
// more noise.
double rate_below_reciprocal(double b) {
  const double rate = 1 / b;
  return std::fma(rate, b, -1.0) > 0 ? std::nextafter(rate, 0.0) : rate;
}

}  // namespace

Int128 draw(RandomStream& random, const NoiseLaw& law) {
  switch (law.family) {
    case Family::gaussian:
      return rounded_normal(random, law.scale);
    case Family::multi_gaussian: {
      // The centres are on the lattice, so only the normal part is rounded.
      const int k = truncated_two_sided_geometric(random, law.weight_epsilon, law.components);
      return static_cast<Int128>(law.sensitivity) * k + rounded_normal(random, law.scale);
    }
    case Family::quasi_gaussian:
      return draw_quasi(random, law.scale, law.sensitivity, law.weight_epsilon);
    case Family::laplace:
      return two_sided_geometric(random, {.rate = rate_below_reciprocal(law.scale)});
    default:
      return draw_step(random, law.steps);
  }
}

}  // namespace dpmix
