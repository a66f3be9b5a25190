#include "core/noise/sampler.hpp"

#include <cmath>
#include <stdexcept>

#include "core/base/next_double.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/gaussian/quasi_sampler.hpp"
#include "core/noise/steps/draw.hpp"

namespace dpmix {
namespace {

// The largest double r with r * b <= 1: the exact rate 1/b is no double, and a smaller one is
// more noise.
double rate_below_reciprocal(double b) {
  const double rate = 1 / b;
  return std::fma(rate, b, -1.0) > 0 ? next_down(rate) : rate;
}

}  // namespace

NoiseSampler::NoiseSampler(const NoiseLaw& law) : law_(prepare(law)) {}

NoiseSampler::Law NoiseSampler::prepare(const NoiseLaw& law) {
  switch (law.family) {
    case Family::gaussian:
      return RoundedNormal(law.scale);
    case Family::multi_gaussian:
      return Mixture{static_cast<Int128>(law.sensitivity),
                     TruncatedTwoSidedGeometric(law.weight_epsilon, law.components),
                     RoundedNormal(law.scale)};
    case Family::laplace:
      if (is_of_box(law)) throw std::logic_error("noise of several statistics, drawn for one");
      return TwoSidedGeometric({rate_below_reciprocal(law.scale)});
    default:
      return Other{law};
  }
}

Int128 NoiseSampler::Other::operator()(RandomStream& random) const {
  if (law.family == Family::quasi_gaussian) {
    return draw_quasi(random, law.scale, law.sensitivity, law.weight_epsilon);
  }
  return draw_step(random, law.steps);
}

}  // namespace dpmix
