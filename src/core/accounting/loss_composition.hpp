// What independent releases of fixed laws cost together: the convolution of their privacy-loss
// distributions, by FFT of exponentially tilted masses, so that round-off stays small against
// delta itself. For plans fixed in advance, inside one release; an analyst who adapts needs a
// filter (filter.hpp). All results are proved upper bounds: docs/proofs/loss_distribution.md.
#pragma once

#include <cstdint>
#include <vector>

#include "core/accounting/loss_distribution.hpp"

namespace dpmix {

class LossComposition {
 public:
  // All losses have the same step. times: 1..2^30. Else Error PV005.
  void add(const LossDistribution& loss, std::int64_t times);

  // The least delta proved at epsilon >= 0, at most 1.
  double delta(double epsilon) const;
  // True is a proof that delta(epsilon) <= slack + (1 - slack) gdp_delta(epsilon, mu) for every
  // epsilon >= 0. When it holds in both directions, what is composed is a post-processing of
  // "reveal all with probability slack, else Gaussian noise of that mu".
  bool dominated(double mu, double slack) const;
  // The least epsilon proved at delta, 0 < delta < 1; infinity when there is none below 2^20 steps
  // of the grid.
  double epsilon(double delta) const;

 private:
  struct Part {  // the grid points with mass, in logarithms
    std::int64_t times = 0;
    double step = 0, infinite = 0;
    double largest_log = 0, largest_loss = 0;  // in absolute value
    std::vector<std::int64_t> indices;
    std::vector<double> losses, log_masses;
  };
  class Tilted;
  class Composed;

  bool reveals_all() const;
  Tilted centred(double epsilon) const;
  // What one tilt proves of epsilon(delta).
  double reached(const Tilted& at, double delta) const;

  std::vector<Part> parts_;
};

}  // namespace dpmix
