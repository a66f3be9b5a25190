// The privacy curve of quasi-Gaussian noise: its value at a shift, and a bound over all of them.
// Proof: docs/proofs/quasi_gaussian.md.
#pragma once

#include <optional>

#include "core/noise/gaussian/quasi.hpp"

namespace dpmix {

double quasi_delta_at(const QuasiGaussian& law, double epsilon, double shift);  // 0 <= shift <= 1
// A proved upper bound on the supremum over all shifts in [0, 1], with outward rounding; it holds
// for every real scale within 2^-50 of law.scale, relatively.
double quasi_delta_bound(const QuasiGaussian& law, double epsilon, double spare = 5e-4);
// Such a bound that is at most delta; nullopt: no proof was found.
std::optional<double> quasi_certificate(const QuasiGaussian& law, double epsilon, double delta);

}  // namespace dpmix
