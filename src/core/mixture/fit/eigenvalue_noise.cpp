#include "core/mixture/fit/eigenvalue_noise.hpp"

#include <cmath>

namespace dpmix {
namespace {

constexpr double kBlur = 1.5;  // of the noise: eigenvalues nearer than that are not told apart

}  // namespace

double eigenvalue_reach(int features, double noise, bool diagonal) {
  return std::sqrt(diagonal ? 2. : 2. * features) * noise;
}

Vector without_noise(const Vector& values, double noise) {
  Vector out = values;
  if (noise <= 0) return out;
  const double blur = kBlur * noise;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double gap = values[i] - values[j];
      const double pushed = noise * (gap / std::hypot(gap, blur)) * (noise / std::hypot(gap, blur));
      out[i] -= pushed;
      out[j] += pushed;
    }
  }
  return out;
}

}  // namespace dpmix
