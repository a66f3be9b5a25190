// Quasi-Gaussian noise (docs/proofs/quasi_gaussian.md): in units of the sensitivity, density
//   f(z) proportional to e^w exp(-z^2/2s^2) + exp(-(|z|-1)^2/2s^2),
// w = weight_epsilon; the normaliser is sqrt(2 pi) s (e^w + 2 Phi(1/s)).
#pragma once

namespace dpmix {

struct QuasiGaussian {
  double scale = 1;           // s, in units of the sensitivity, 1e-5..1e9
  double weight_epsilon = 0;  // w, 0..1e7
};

double quasi_expected_abs(const QuasiGaussian& law);
double quasi_variance(const QuasiGaussian& law);
double quasi_cdf(const QuasiGaussian& law, double z);

}  // namespace dpmix
