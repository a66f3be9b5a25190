// The noise of grouping sets that are answered together: how it is stretched from table to table,
// how far neighbours move all tables of a statistic, and how far an answer is off.
//
// Enters: the sets, a statistic's lattice, what of a unit counts. Leaves: for each set a stretch,
// by which its table's deviation is that of the statistic's Gaussian law times, and a shift: the
// norm of the change of all tables, each relative to its stretch. A Gaussian law made for that
// shift gives all tables together its guarantee. Proof: docs/proofs/cube.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/cube/workload.hpp"
#include "core/query/contribution.hpp"

namespace dpmix {

struct CubeNoise {
  std::vector<double> stretch;    // of each set's table
  std::vector<double> precision;  // 1 / stretch^2, but for rounding: what answers are weighted by
  std::vector<double> variance;   // of a cell of each set's answer, for a law of deviation 1
  std::vector<double> squares;    // of the weights of all cells in such a cell, added up
};
CubeNoise cube_noise(const CubeWorkload& workload);
// The same for stretches that were drawn with before.
CubeNoise cube_noise(const CubeWorkload& workload, std::span<const double> stretch);

// A table's law, from the statistic's.
NoiseLaw stretched_law(const NoiseLaw& law, double stretch);

struct CubeTable {
  double cells;  // as many as declared groups
  bool whole;    // its keys are all keys, by which a unit's rows were sampled
  double stretch;
};
// groups: combinations of all keys, at least 1. l2 is what stretched laws are made for, the other
// numbers are of all tables together.
StatisticShift cube_shift(const Lattice& lattice, Adjacency adjacency, const Contribution& unit,
                          double groups, std::span<const CubeTable> tables);

struct CubeReach {           // of answers of one set, in lattice steps
  double variance, squares;  // CubeNoise
  double least_stretch;      // of all sets
  double cells;              // of all tables
};
// The reach of derived answers: sums over so many values of each of some keys, ascending, that a
// set has. The workload outlives this.
class SumReaches {
 public:
  SumReaches(const CubeWorkload& workload, std::span<const double> stretch);
  CubeReach sum(KeySet keys, std::span<const int> values) const;

 private:
  const CubeWorkload& workload_;
  std::vector<double> noise_, roundings_;  // precisions of the residuals
  double least_stretch_, cells_;
};
// Lattice steps that such an answer, rounded to the nearest, is within of the exact statistic but
// for a probability of (1 - level) / parts. 0 < level < 1, else Error PV005.
double cube_reach(const NoiseLaw& law, const CubeReach& of, double level, int parts);
// Its deviation; of the one in whole numbers that add up, for a set of so many keys.
double cube_deviation(const NoiseLaw& law, const CubeReach& of, int keys);

}  // namespace dpmix
