// What the release of a regression costs and how much noise its moments get: known before
// any row is read.
//
// Enters: public numbers. Leaves: deviations of the noise in lattice units, all of it together
// mu-GDP, mu being that of (epsilon, delta). Then, from exact integer moments, noisy ones. Proof:
// docs/proofs/regression.md. Source: Wang, "Revisiting differentially private linear regression"
// (AdaSSP, UAI 2018), with one symmetric matrix in place of three statistics.
#pragma once

#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/random/stream.hpp"
#include "core/regression/design.hpp"

namespace dpmix {

// What of a row differs between neighbours: all of it, or the target alone.
enum class ProtectedPart { row, target };

struct RegressionRequest {
  double norm2;  // Design::norm2
  double epsilon, delta;
  Adjacency adjacency = Adjacency::add_remove;
  ProtectedPart part = ProtectedPart::row;  // target: adjacency is label
  int rows_per_unit = 1;                    // at most, of a privacy unit
  Accounting accounting = {};               // of the table
};

// Deviations of the noise in sums over rows of (1, z, y): of a square, of a product of two; of the
// row count as of a square, of the sums as of a product. The same where y takes part. 0: exact.
struct GramNoise {
  double square, product;
  double target_square, target_product;
};

struct RegressionPlan {
  ProtectedPart part;
  int rows_per_unit;
  double mu;            // of the release
  double step;          // of z, on the lattice
  GramNoise noise;      // in units of z and y
  MomentNoise lattice;  // in lattice units, of what is a row's
  double lattice_target_square, lattice_target_sum, lattice_target_product;
  Cost own;  // in what the table's accountant adds up
};

// Error PV005: epsilon or delta out of the range of calibration, delta 0. frame: Design::frame().
RegressionPlan plan_regression(const RegressionRequest& request, const MomentFrame& frame);
// Its two steps: the mu of (epsilon, delta), and moments at any mu.
double regression_mu(const RegressionRequest& request);
RegressionPlan plan_moments(const RegressionRequest& request, const MomentFrame& frame, double mu);

// A sum with exactly rounded normal noise; deviation 0: as it is.
double noisy_sum(RandomStream& random, Int128 exact, double deviation);

// Sums of (1, z, y)(1, z, y)' over the rows of a class, with noise, in units of z and y. exact:
// NULL for a class without rows; features: of the frame.
Matrix noisy_gram(RandomStream& random, const MomentTotals::Class* exact, int features,
                  const RegressionPlan& plan);

}  // namespace dpmix
