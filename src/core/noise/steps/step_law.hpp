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

#include "core/base/int128.hpp"
#include "core/random/stream.hpp"

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

// Throws Error PV005 unless the fields are in the ranges above.
void check_step_law(const StepLaw& law);

// delta(j) = sup_S P(K in S) - e^epsilon P(K + j in S) at a shift of j lattice steps, an integer
// 0..sensitivity, to about 1e-12 relative: not a bound.
double step_delta_at(const StepLaw& law, double epsilon, double shift);
// A proved upper bound on the supremum over all such shifts, with outward rounding.
double step_delta_bound(const StepLaw& law, double epsilon);

// In lattice steps, relative error below 1e-9.
double step_expected_abs(const StepLaw& law);
double step_variance(const StepLaw& law);
// P(|K| > k), k an integer >= 0 (to 1e-12 relative).
double step_tail(const StepLaw& law, double k);

// One exact draw.
Int128 draw_step(RandomStream& random, const StepLaw& law);

}  // namespace dpmix
