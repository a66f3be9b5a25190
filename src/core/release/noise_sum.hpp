// How far a weighted sum of independent noises strays from 0.
//
// Enters: the released laws (symmetric, on the integers), how many noises there are in all, and the
// chance that may be left out. Leaves: for weights, a reach that the sum passes on one side with at
// most that chance: 1.0 to 1.1 times the exact one for the family gaussian, about 1.3 times
// elsewhere. Proof: docs/proofs/quantile.md, "Tails".
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/noise_law.hpp"

namespace dpmix {

struct NoiseTerm {  // `count` independent noises of one law, each times the weight
  int law;
  double weight, count;
};

class NoiseSum {
 public:
  // noises: of all laws together, with a weight or without. 0 < tail < 1.
  NoiseSum(std::span<const NoiseLaw> laws, double noises, double tail);

  // P(sum > reach) <= tail; the sum is symmetric.
  double reach(std::span<const NoiseTerm> terms) const;

 private:
  struct Table {  // bounds on log E cosh(s noise) at ascending s
    std::vector<double> at, bound;
    double operator()(double s) const;
  };

  static Table table_of(const NoiseLaw& law, double stddev, double cut);
  double gaussian_reach(double normal, double squares, double magnitudes) const;
  double chernoff_reach(std::span<const NoiseTerm> terms, double variance) const;

  double tail_, noises_;
  bool none_;                           // but for a chance of tail all noises are 0
  bool gaussian_;                       // all laws are of that family
  bool fine_;                           // and of a deviation of 1 at least
  double quantile_;                     // of the normal law, at what gaussian_reach leaves to it
  std::vector<double> scale_, stddev_;  // of each law, and of its noise on the integers
  std::vector<Table> table_;
};

}  // namespace dpmix
