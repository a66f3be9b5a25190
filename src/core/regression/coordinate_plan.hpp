// What a logistic regression by coordinate descent costs and how much noise its numbers get: known
// before any row is read.
//
// Enters: public numbers. Leaves: one law of noise, for numbers that a row moves by 1. A release is
// a fixed number of adaptive answers, each one number with this law at that number's own
// sensitivity, so all have the same privacy curve. Gaussian noise: mu-GDP together. Other families:
// the composition of the law of losses that the certified curve over all shifts has. Proof:
// docs/proofs/regression_coordinate.md. Source: Mangold, Bellet, Salmon, Tommasi, "Differentially
// private coordinate descent" (ICML 2022), with another account, centring and clipping.
#pragma once

#include "core/noise/law.hpp"
#include "core/regression/plan.hpp"

namespace dpmix {

struct CoordinateSettings {
  static constexpr int most_passes = 100;

  Family family = Family::gaussian;
  int passes = 6;         // over all coefficients
  double l1 = 0, l2 = 0;  // penalties of the mean loss: l1 |b| + l2 b^2 / 2, b coded, no intercept
  bool operator==(const CoordinateSettings&) const = default;

  // Error PV005: out of range. PV002: a family whose composition is not proved here.
  void check() const;
};

struct CoordinatePlan {
  CoordinateSettings settings;
  int columns = 0;             // of z
  bool twice = false;          // a row may stand in for another
  bool exact_moments = false;  // only the target is protected
  std::int64_t releases = 0;   // numbers in all
  NoiseLaw unit;               // of each, where a row moves it by 1: sensitivity is a unit's rows
  double mu = 0;               // of all of it; other families: nearly, see own
  Cost own;                    // in what the table's accountant adds up

  std::int64_t updates() const {
    return static_cast<std::int64_t>(settings.passes) * (columns + 1);
  }
  double count_stddev() const;
  // The sensitivity of a sum of slopes to a single row, in lattice units.
  double slope_sensitivity() const { return twice ? 0x1p21 : 0x1p20; }
};

// What it costs, without looking for the noise: that may take seconds.
Cost cost_of_coordinate(const RegressionRequest& request, Family family);
// Error PV005 as of plan_regression().
CoordinatePlan plan_coordinate(const RegressionRequest& request, int columns,
                               const CoordinateSettings& settings);

// An exact integer with noise. sensitivity: of the sum to a single row; a power of two.
double noisy_number(RandomStream& random, const CoordinatePlan& plan, Int128 exact,
                    double sensitivity);

}  // namespace dpmix
