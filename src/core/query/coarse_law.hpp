// One noise as a law on few integers: cut off far out and, where wide, coarsened.
//
// Enters: a released law (symmetric, on the integers) and a chance at which it may be cut off.
// Leaves: R, the noise cut off; C, R rounded to multiples of `step`, off by half a step at most;
// the characteristic function of C with a bound on its error, bounds over ranges of it, and a bound
// on the exponential moments of both. Proof: docs/proofs/query_quantiles.md, "Tails".
#pragma once

#include <array>
#include <vector>

#include "core/noise/law.hpp"

namespace dpmix {

class CoarseLaw {
 public:
  // stddev: about that of the noise. P(|noise| > where it is cut off) <= cut.
  CoarseLaw(const NoiseLaw& law, double stddev, double cut);

  double step() const { return step_; }  // odd; 1: C is R
  // E cos(t C) but for error(t), for t >= 0.
  double wave(double t) const;
  double error(double t) const { return table_error_ + rounding_ * t; }
  // Not below |E cos(u C)| for any u in [from, to].
  double crest(double from, double to) const;
  // Not below log E cosh(s R), log E cosh(s C).
  double log_cosh(double s) const;

 private:
  void tabulate_moments(const std::vector<double>& mass, double stddev);
  void tabulate_waves(const std::vector<double>& mass);

  double step_;
  std::vector<double> at_, bound_;  // on log E cosh, at ascending s
  static constexpr int kTerms = 6;  // of Taylor's series around each point of the table
  std::vector<std::array<double, kTerms>> wave_;  // at multiples of spacing_ from 0 to pi
  std::vector<double> crest_;                     // of the waves from there to pi
  double spacing_ = 0, table_error_ = 0, rounding_ = 0;
};

}  // namespace dpmix
