#include "core/query/coarse_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/noise/calibration.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kCut = 1e-9;

std::vector<NoiseLaw> laws() {
  return {{.family = Family::gaussian, .sensitivity = 1, .scale = 0.4},
          {.family = Family::gaussian, .sensitivity = 1, .scale = 9},
          {.family = Family::laplace, .sensitivity = 1, .scale = 2000},
          {Family::multi_gaussian, 4, 0.9, 2, 0.8},
          calibrate(Family::quasi_gaussian, 1, 1e-4, 1, std::nullopt).law,
          calibrate_on_lattice(Family::optimal, 0.5, 1e-4, 3, std::nullopt).law};
}

CoarseLaw coarse(const NoiseLaw& law) {
  return CoarseLaw(law, lattice_moments(law, 1).stddev, kCut);
}

// P(|noise| > k), by other means than the class: quantiles, turned round.
double chance_beyond(const NoiseLaw& law, double k) {
  double low = 1e-12, high = 1;
  for (int i = 0; i < 42; ++i) {
    const double middle = std::sqrt(low * high);
    (lattice_tail_quantile(law, 1, middle) <= k ? high : low) = middle;
  }
  return high;
}

TEST(CoarseLaw, WavesAreThoseOfTheNoise) {
  for (const NoiseLaw& law : laws()) {
    const CoarseLaw noise = coarse(law);
    const double step = noise.step(), most = lattice_tail_quantile(law, 1, kCut);
    std::vector<double> mass;
    double above = 1;
    for (double end = (step - 1) / 2; end < most; end += step) {
      const double next = chance_beyond(law, end);
      mass.push_back(above - next);
      above = next;
    }
    mass.push_back(above);
    for (double t : {0.0, 1e-3, 0.1, 1.0, 3.1, 5.7, 40.0}) {
      double wave = 0;
      for (std::size_t j = 0; j < mass.size(); ++j) {
        wave += mass[j] * std::cos(t * static_cast<double>(j));
      }
      EXPECT_NEAR(noise.wave(t / step), wave, noise.error(t / step) + 1e-11)
          << name(law.family) << " " << t;
      EXPECT_LT(noise.error(t / step), 1e-7);
    }
  }
}

TEST(CoarseLaw, CrestsAreNotBelowWaves) {
  for (const NoiseLaw& law : laws()) {
    const CoarseLaw noise = coarse(law);
    for (double from = 0.01; from < 30; from *= 1.07) {
      const double to = from * 1.2;
      const double crest = noise.crest(from / noise.step(), to / noise.step());
      double most = 0;
      for (double t = from; t <= to; t += (to - from) / 50) {
        most = std::max(most, std::abs(noise.wave(t / noise.step())));
      }
      EXPECT_GE(crest, most) << name(law.family) << " " << from;
    }
  }
  const NoiseLaw wide = {.family = Family::gaussian, .sensitivity = 1, .scale = 9};
  EXPECT_LT(coarse(wide).crest(0.5, 0.6), 1e-4);
}

TEST(CoarseLaw, LogCoshIsNotBelowThatOfTheNoise) {
  const NoiseLaw law = {.family = Family::gaussian, .sensitivity = 1, .scale = 9};
  const CoarseLaw noise = coarse(law);
  for (double s = 1e-3; s < 0.4; s *= 1.3) {
    const double normal = s * s * 81 / 2, rounded = normal + std::log(2 / s * std::sinh(s / 2));
    EXPECT_GE(noise.log_cosh(s), rounded * (1 - 1e-4));  // cut off, at 1e-9
    EXPECT_LE(noise.log_cosh(s), rounded * 1.01);
  }
}

}  // namespace
}  // namespace dpmix
