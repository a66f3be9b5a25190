// A law on the integers whose weights fall by stairs: the shape behind `staircase` (Geng,
// Viswanath 2014), `truncated_laplace` (Geng, Ding, Guo, Kumar 2020), `tulap` (Awan, Slavkovic
// 2018) and `optimal`. With q = e^-fall, the weight of k, |k| = l period + i, 0 <= i < period, is
//   q^l            0 <= i <= half_width                  the landing around l period
//   q^(l+1) dip    half_width < i < period - half_width  between two landings
//   q^(l+1)        i >= period - half_width              the landing around (l + 1) period
// for |k| < cutoff, `edge` times that for |k| = cutoff, and 0 beyond. P(k) = weight / their sum;
// with probability `atom`, 0 is drawn instead. Within one period the law falls by e^fall at most,
// except at the dips, the cutoff and the atom: those are what delta pays for.
// Exactly (epsilon, delta)-DP on the lattice: docs/proofs/step_law.md.
#pragma once

#include <limits>

namespace dpmix {

struct StepLaw {
  double sensitivity = 1;  // in lattice steps: an integer, 1..2^53
  double period = 1;       // of the stairs, in lattice steps: sensitivity, or 1
  double fall = 1;         // log of the ratio of successive stairs: 2^-80 period..1e9
  double half_width = 0;   // of a landing: an integer >= 0, 2 half_width + 1 <= period
  double dip = 1;          // > 0, at most 1 or less than e^fall
  double cutoff = std::numeric_limits<double>::infinity();  // an integer 1..2^100, or not
  double edge = 1;                                          // in (0, 1]
  double atom = 0;                                          // in [0, 1)

  bool operator==(const StepLaw&) const = default;
};

// The steps in a sensitivity with which a step law is as good as continuous.
inline constexpr double kFineLattice = 0x1p20;

// Throws Error PV005 unless the fields are in the ranges above.
void check_step_law(const StepLaw& law);

}  // namespace dpmix
