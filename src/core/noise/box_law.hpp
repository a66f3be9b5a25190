// The law of one coordinate of noise that several statistics have together: the exponential
// mechanism of the norm of a box.
//
// A row moves statistic i of its group by at most a_i lattice steps. The radius of z is the least r
// >= 0 with |z_i| <= a_i (r + 1/2) for all i; P(z) is proportional to e^{-rate radius}: of k
// statistics r has P(r) proportional to (2r + 1)^k e^{-rate r}, and given r each z_i is one of the
// (2r + 1) a_i integers in its box. Where a_i is even, these are not symmetric: a fair coin turns
// them. A row moves the radius by 1: e^rate is all it tells, of all statistics together.
// A NoiseLaw of family laplace with components = k > 1 is that of one coordinate: sensitivity is
// a_i, rate is sensitivity / scale. Source: Hardt, Talwar 2010 (the K-norm mechanism), on the
// integers. Proof: docs/proofs/box.md.
#pragma once

namespace dpmix {

inline constexpr int kMostTogether = 32;  // statistics

struct BoxLaw {
  int together;  // k, 2..kMostTogether
  double rate;   // 5e-7 or more
};

// P(|z| > t), y = (2t + 1) / a. Relative errors are below 2^-44.
double box_tail(const BoxLaw& law, double y);
// Moments of z for a sensitivity a, in lattice steps.
double box_expected_abs(const BoxLaw& law, double a);
double box_variance(const BoxLaw& law, double a);

}  // namespace dpmix
