// How far a weighted sum of independent noises strays from 0.
//
// Enters: the released laws (symmetric, on the integers), how many noises there are in all, and
// chances that may be left out. Leaves: for weights, a reach that the sum passes on one side with
// at most one of these chances: 1.00 to 1.05 times the exact one. Proof:
// docs/proofs/query_quantiles.md, "Tails".
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/noise/law.hpp"
#include "core/query/coarse_law.hpp"

namespace dpmix {

struct NoiseTerm {  // `count` independent noises of one law, each times the weight
  int law;
  double weight, count;
};

class NoiseSum {
 public:
  // noises: of all laws together, with a weight or without. Each tail between 0 and 1.
  NoiseSum(std::span<const NoiseLaw> laws, double noises, std::span<const double> tails);

  // P(sum > reach) <= tails[tail]; the sum is symmetric. 0: but for the least tail no noise is
  // anything but 0, of those without a weight too.
  double reach(std::span<const NoiseTerm> terms, std::size_t tail) const;

 private:
  struct Bound {  // P(sum > r) <= exp(log_moment - rate r), for every r
    double rate, log_moment, reach;
  };

  double gaussian_reach(std::size_t tail, double normal, double squares, double magnitudes) const;
  Bound chernoff_bound(std::size_t tail, std::span<const NoiseTerm> terms, double variance) const;
  double inverted_reach(std::size_t tail, std::span<const NoiseTerm> terms, double variance,
                        const Bound& bound) const;
  double coarse_reach(std::size_t tail, std::span<const NoiseTerm> terms) const;
  const CoarseLaw& law_of(const NoiseTerm& term) const {
    return *law_[static_cast<std::size_t>(term.law)];
  }

  std::vector<double> tails_;
  double noises_;
  bool none_;                           // but for the least tail all noises are 0
  bool gaussian_;                       // all laws are of that family
  bool fine_;                           // and of a deviation of 1 at least
  std::vector<double> quantile_;        // of the normal law, at what gaussian_reach leaves to it
  std::vector<double> scale_, stddev_;  // of each law, and of its noise on the integers
  std::vector<std::shared_ptr<const CoarseLaw>> law_;  // or none: gaussian_reach is enough
};

}  // namespace dpmix
