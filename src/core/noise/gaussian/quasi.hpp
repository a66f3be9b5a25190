// Quasi-Gaussian noise (docs/proofs/quasi_gaussian.md): in units of the sensitivity, density
//   f(z) proportional to e^w exp(-z^2/2s^2) + exp(-(|z|-1)^2/2s^2),
// w = weight_epsilon; the normaliser is sqrt(2 pi) s (e^w + 2 Phi(1/s)).
#pragma once

#include <optional>

#include "core/base/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

struct QuasiGaussian {
  double scale = 1;           // s, in units of the sensitivity, 1e-5..1e9
  double weight_epsilon = 0;  // w, 0..1e7
};

double quasi_delta_at(const QuasiGaussian& law, double epsilon, double shift);  // 0 <= shift <= 1
// A proved upper bound on the supremum over all shifts in [0, 1], with outward rounding; it holds
// for every real scale within 2^-50 of law.scale, relatively.
double quasi_delta_bound(const QuasiGaussian& law, double epsilon, double spare = 5e-4);
// Such a bound that is at most delta; nullopt: no proof was found.
std::optional<double> quasi_certificate(const QuasiGaussian& law, double epsilon, double delta);
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

// One exact draw, rounded to an integer, in lattice steps: the law has the deviation sigma, exactly
// this double, and the sensitivity, a positive integer; both at most 2^89, else Error PV005.
Int128 draw_quasi(RandomStream& random, double sigma, double sensitivity, double weight_epsilon);

}  // namespace dpmix
