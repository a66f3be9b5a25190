// Which coefficients noisy sums do not contradict, however nearly collinear the terms are.
//
// Enters: noisy sums G of (1, z)(1, z)' and g of (1, z) y, and the variance of their noise. Leaves,
// for a coefficient c'b: all its values t for which some b with c'b = t leaves (g - G b) no larger
// than its noise may be. That is an interval, or everything but an interval, or everything; the
// last two are shown as everything. Nothing is linearised, and no ridge is added. One matrix is
// decomposed for all coefficients and levels. Proof: docs/proofs/regression_exact_sets.md.
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

struct NoisySums {
  Matrix terms;      // G
  Vector products;   // g
  double variance;   // of the noise of a product of two; of a square it is twice that
  double residual;   // what of the target's variance terms do not explain
  double alike = 1;  // rows of a unit, whose errors may be as alike as can be
};

class ExactSets {
 public:
  // near: the sets hold whatever it is, and are narrowest where it is near the coefficients.
  // population: of the coefficients of the population, else of these rows.
  ExactSets(const NoisySums& sums, const Vector& near, bool population);

  struct Ends {
    double low, high;  // both may be infinite
  };
  // Of direction'b, at the level of which reach is the normal quantile.
  Ends ends(const Vector& direction, double reach) const;
  // The least reach at which value is in the set; infinity beyond 40.
  double reach_of(const Vector& direction, double value) const;

 private:
  struct Projection;
  Projection project(const Vector& direction) const;

  Vector near_;
  Vector values_;   // ascend
  Matrix vectors_;  // of (-b, 1), a column each
};

}  // namespace dpmix
