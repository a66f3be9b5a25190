// Intervals of averages and variances where all noise is normal but for its rounding: from the law
// of the combination of noises that an answer is off by, not from each noise on its own.
//
// Enters: the released statistics of a cell, and how far normal noise reaches, made once before the
// charge. Leaves: intervals that hold the exact answer with the level asked and always the released
// one, a quarter to a half narrower than those of answers.hpp and variance_answers.hpp.
// Nothing here reads data. Proof: docs/proofs/query_variance.md, "Normal noise".
#pragma once

#include "core/query/answers.hpp"
#include "core/query/upgrade.hpp"
#include "core/query/variance_answers.hpp"

namespace dpmix {

struct NormalPart {
  double deviation = 0;  // of the normal part of a statistic's noise, in lattice steps
  double rounding = 0;   // what is not normal, at most
};
struct NormalReach {
  // How many deviations a normal number stays within: all that the level leaves; and where an
  // average is only on the way to a variance, the parts of both.
  double whole = 0, variance = 0, mean = 0;
  NormalPart count, sum, squares;

  bool known() const { return whole > 0; }
};
// squares: NULL, or that of a variance. Not known() where a law is not normal.
NormalReach normal_reach(const StatisticNoise& count, const StatisticNoise& sum,
                         const StatisticNoise* squares, double level);

NoiseInterval normal_mean_interval(const Lattice& centred, double lower, double upper,
                                   Int128 noisy_count, Int128 noisy_sum, const NormalReach& reach);
NoiseInterval normal_variance_interval(const Lattice& centred, const SpreadCells& noisy,
                                       const NormalReach& reach);
NoiseInterval normal_stddev_interval(const Lattice& centred, const SpreadCells& noisy,
                                     const NormalReach& reach);

}  // namespace dpmix
