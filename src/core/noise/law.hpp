// The law of additive noise Z, before it is rounded to the statistic's lattice.
//
// What is released is statistic + round(Z) in lattice units: post-processing of statistic + Z, so
// every certificate about the continuous law holds for the integers (docs/proofs/lattice.md).
// Exceptions: `laplace` is the geometric mechanism on the lattice itself, with delta = 0, or what
// one of several statistics has of it (box_law.hpp); the four step families are laws on the
// integers (steps/law.hpp), with certificates of their own. Sources: cited in
// docs/proofs/{gaussian,multi_gaussian,quasi_gaussian,laplace,step_law}.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/noise/box_law.hpp"
#include "core/noise/steps/law.hpp"

namespace dpmix {

enum class Family {
  gaussian,
  multi_gaussian,
  quasi_gaussian,
  laplace,
  staircase,
  truncated_laplace,
  tulap,
  optimal
};
inline constexpr std::array kFamilies = {
    Family::gaussian,  Family::multi_gaussian,    Family::quasi_gaussian, Family::laplace,
    Family::staircase, Family::truncated_laplace, Family::tulap,          Family::optimal};

std::string_view name(Family family);
std::optional<Family> family_of(std::string_view name);
std::string family_names();   // "gaussian, ..., optimal", for messages
bool is_step(Family family);  // staircase, truncated_laplace, tulap, optimal
bool is_pure(Family family);  // (epsilon, 0)-DP: laplace, staircase

struct NoiseLaw {
  Family family = Family::gaussian;
  double sensitivity = 1;  // Delta, in the units of the statistic
  // The scale in the same units. gaussian, multi_gaussian, quasi_gaussian: sigma. laplace:
  // Delta/epsilon. The step families: the distance over which the density falls by e.
  double scale = 1;
  int components = 0;         // K of multi_gaussian: centres k*Delta, |k| <= K. laplace: above 1,
                              // of how many statistics together (box_law.hpp)
  double weight_epsilon = 0;  // multi_gaussian: P(k) proportional to e^{-weight_epsilon |k|};
                              // quasi_gaussian: e^weight_epsilon is the weight of the centre
  StepLaw steps = {};         // for the step families; steps.sensitivity lattice steps are Delta
};

// Whether the law is that of one of several statistics that have their noise together.
bool is_of_box(const NoiseLaw& law);
BoxLaw box_law(const NoiseLaw& law);  // the law of all of these

// Throws Error PV005 unless: sensitivity and scale are normal doubles > 0; for multi_gaussian and
// quasi_gaussian also scale/sensitivity in [1e-5, 1e9] and weight_epsilon in [0, 1e7], for
// multi_gaussian components in 1..1000; for a step family check_step_law(steps).
void check_law(const NoiseLaw& law);

// Moments and distribution of the continuous law, in the units of the statistic.
double expected_abs(const NoiseLaw& law);
double variance(const NoiseLaw& law);
double cdf(const NoiseLaw& law, double z);
// The largest |noise| there is; infinite unless the law is cut off.
double support(const NoiseLaw& law);

}  // namespace dpmix
