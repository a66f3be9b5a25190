// The law of additive noise Z, before it is rounded to the statistic's lattice.
//
// What is released is statistic + round(Z) in lattice units: post-processing of statistic + Z, so
// every certificate about the continuous law holds for the integers (docs/proofs/lattice.md).
// Exception: `laplace` is the geometric mechanism on the lattice itself, with delta = 0.
// Sources: notes cited in docs/proofs/{gaussian,multi_gaussian,laplace}.md.
#pragma once

#include <optional>
#include <string_view>

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

enum class Family { gaussian, multi_gaussian, laplace };

std::string_view name(Family family);
std::optional<Family> family_of(std::string_view name);

struct NoiseLaw {
  Family family = Family::gaussian;
  double sensitivity = 1;     // Delta, in the units of the statistic
  double scale = 1;           // sigma (gaussian, multi_gaussian) or b = Delta/epsilon (laplace)
  int components = 0;         // K of multi_gaussian: centres k*Delta, |k| <= K
  double weight_epsilon = 0;  // of multi_gaussian: P(k) proportional to e^{-weight_epsilon |k|}
};

// Throws Error PV005 unless: sensitivity and scale are normal doubles > 0; for multi_gaussian also
// scale/sensitivity in [1e-5, 1e9], components in 1..1000 and weight_epsilon
// in [0, 1e7].
void check_law(const NoiseLaw& law);

// Of the continuous law, in the units of the statistic.
double expected_abs(const NoiseLaw& law);
double variance(const NoiseLaw& law);
double cdf(const NoiseLaw& law, double z);

// Of the released, rounded law on the lattice step * Z, in the units of the statistic; laplace: of
// the geometric law. The step divides the sensitivity of multi_gaussian, as draw() demands.
// Relative error below 1e-9 (docs/proofs/lattice.md).
struct LatticeMoments {
  double expected_abs, stddev;
  double quantile_975;  // smallest q with P(|noise| <= q) >= .95
};
LatticeMoments lattice_moments(const NoiseLaw& law, double step);

// One exact draw of the rounded noise. The law is in lattice units (step 1), its sensitivity a
// positive integer for multi_gaussian and laplace. Calibrate in these units: dividing a certified
// scale by a step would round it.
Int128 draw(RandomStream& random, const NoiseLaw& law_in_lattice_units);

}  // namespace dpmix
