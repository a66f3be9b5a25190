// The scales that the mixture paper and its code give ("Mind the Gap"), beside
// the least certified ones: noise_published. Leaves text on stdout.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/noise/calibration.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/gaussian/quasi_least_scale.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/published/quasi_scale.hpp"

namespace dpmix {
namespace {

void multi_gaussian(double epsilon, double delta, int components, double published) {
  const Calibration least = calibrate(Family::multi_gaussian, epsilon, delta, 1, components);
  NoiseLaw law = least.law;
  law.scale = published;
  double worst = 0, at = 0;
  for (int i = 1; i <= 1000; ++i) {
    const double found = delta_at(law, epsilon, i / 1000.);
    if (found > worst) {
      worst = found;
      at = i / 1000.;
    }
  }
  std::printf(
      "multi_gaussian (%g, %g), K = %d: published scale %g has delta %.3g at shift %g, %.3g at the "
      "full shift, proved at most %.3g over all;\n  least certified scale %.5g\n",
      epsilon, delta, components, published, worst, at, delta_at(law, epsilon, 1),
      delta_bound(law, epsilon), least.law.scale);
}

void few_components(double epsilon, double delta, int components) {
  const NoiseLaw chosen = calibrate(Family::multi_gaussian, epsilon, delta, 1).law;
  std::printf("multi_gaussian (%g, %g): E|Z| = %.4g with K = %d, %.4g with the K chosen, %d\n",
              epsilon, delta,
              expected_abs(calibrate(Family::multi_gaussian, epsilon, delta, 1, components).law),
              components, expected_abs(chosen), chosen.components);
}

// Rows delta, columns epsilon: published scale / least certified scale.
void quasi_gaussian() {
  constexpr std::array kEpsilons = {.05, .1, .25, .5, 1., 2., 3., 5., 8., 10.};
  constexpr std::array kDeltas = {1e-1, 1e-2, 1e-3, 1e-5, 1e-6, 1e-8};
  std::printf("quasi_gaussian: published scale / least certified scale\n%7s", "");
  for (const double epsilon : kEpsilons) std::printf(" %7g", epsilon);
  double least = HUGE_VAL, most = 0;
  for (const double delta : kDeltas) {
    std::printf("\n%7g", delta);
    for (const double epsilon : kEpsilons) {
      const double ratio =
          published_quasi_scale(epsilon, delta) / least_quasi(epsilon, delta).law.scale;
      least = std::min(least, ratio);
      most = std::max(most, ratio);
      std::printf(" %7.4f", ratio);
    }
  }
  std::printf("\nbetween %.4f and %.4f\n", least, most);
}

}  // namespace
}  // namespace dpmix

int main() {
  // What the published code returns for its own example.
  dpmix::multi_gaussian(2, .01, 10, .2368);
  dpmix::few_components(.5, 1e-6, 20);
  dpmix::quasi_gaussian();
  return 0;
}
