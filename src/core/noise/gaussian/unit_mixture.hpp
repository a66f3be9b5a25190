// The multi-Gaussian law in units of its sensitivity, with every error of the floating point
// bounded: Z = k + scale * N, P(k) proportional to e^{-weight_epsilon |k|}, |k| <= components.
//
// Positions must be such that z - k is exact in double (mixture_shift.cpp takes them from a grid).
// Error budgets are derived in docs/proofs/multi_gaussian.md, section "Floating point".
#pragma once

namespace dpmix {

inline constexpr double kUnit = 0x1p-53;  // unit roundoff of double

// A number and how far the truth may be from it.
struct Approximate {
  double value = 0, error = 0;
  double low() const { return value - error; }
  double high() const { return value + error; }
};

class UnitMixture {
 public:
  UnitMixture(double scale, int components, double weight_epsilon);

  // log f(z) up to the constant log_norm(), and the posterior mean E(k | Z = z), which never
  // decreases in z.
  struct Point {
    Approximate log_density, mean;
  };
  Point at(double z) const;

  // E(k^2 | Z = z).
  Approximate second_moment(double z) const;

  // The units between the centre and the last component where f(z + 1) = e^{-weight_epsilon} f(z),
  // within 2^-73 relatively: for z and z + 1 in [from, from + units + 1], and for their mirror
  // images. None when scale >= 4, or too few components.
  struct Bulk {
    int from = 0, units = 0;
    double sum = 1;  // of e^{-weight_epsilon j}, j < units; within 2^-44, rounded up
  };
  Bulk bulk() const;

  // log P(k).
  double log_weight(int k) const;
  // log of 1 / (sum of weights * scale * sqrt(2 pi)).
  double log_norm() const { return log_norm_; }

  // e^log_factor P(a < Z < b). Components whose share is below e^log_floor are left out: they would
  // have added at most (2 components + 1) e^log_floor.
  Approximate mass(double a, double b, double log_factor, double log_floor) const;

  double scale() const { return scale_; }
  int components() const { return components_; }
  double weight_epsilon() const { return weight_epsilon_; }

 private:
  // Calls visit(k - peak.k, e^{exponent(k) - top}) for all k that matter at z; the peak has the
  // largest exponent.
  struct Peak {
    int k;
    double top;
    double error;  // of the logarithm of a sum of the terms, top included
  };
  template <class Visit>
  Peak for_components_at(double z, Visit visit) const;

  double scale_, precision_;  // precision_ = 1 / scale^2
  double fall_, past_zero_;   // e^-precision_, e^{-2 weight_epsilon}
  int components_;
  double weight_epsilon_;
  double log_total_, log_norm_;  // log of the sum of weights e^{-weight_epsilon |k|}
};

}  // namespace dpmix
