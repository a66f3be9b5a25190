// Quasi-Gaussian noise (docs/proofs/quasi_gaussian.md): in units of the sensitivity, density
//   f(z) proportional to e^w exp(-z^2/2s^2) + exp(-(|z|-1)^2/2s^2),
// w = weight_epsilon; the normaliser is sqrt(2 pi) s (e^w + 2 Phi(1/s)).
#pragma once

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

struct QuasiGaussian {
  double scale = 1;           // s, in units of the sensitivity, 1e-5..1e9
  double weight_epsilon = 0;  // w, 0..1e7
};

double quasi_delta_at(const QuasiGaussian& law, double epsilon, double shift);  // 0 <= shift <= 1
// A proved upper bound on the supremum over all shifts in [0, 1], with outward rounding.
double quasi_delta_bound(const QuasiGaussian& law, double epsilon);
double quasi_expected_abs(const QuasiGaussian& law);
double quasi_variance(const QuasiGaussian& law);
double quasi_cdf(const QuasiGaussian& law, double z);

struct LeastQuasi {
  QuasiGaussian law;
  double delta_certified = 0;
};
// The least certified scale with weight_epsilon = epsilon, within .2% of the least valid one.
// 1e-6 <= epsilon <= 1e7, 1e-300 <= delta <= .5.
LeastQuasi least_quasi(double epsilon, double delta);
// The scale that the paper gives (its equations for sigma_1 and sigma_2), for comparison only.
double published_quasi_scale(double epsilon, double delta);

// round(sensitivity Z), exactly; in lattice steps, sensitivity a positive integer.
Int128 draw_quasi(RandomStream& random, const QuasiGaussian& law, double sensitivity);

}  // namespace dpmix
