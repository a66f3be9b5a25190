// What independent releases of fixed laws cost together: the convolution of their privacy-loss
// distributions, by FFT of exponentially tilted masses, so that round-off stays small against
// delta itself. For plans fixed in advance, inside one release; an analyst who adapts needs a
// filter (filter.hpp). All results are proved upper bounds: docs/proofs/loss_distribution.md.
#pragma once

#include <cstdint>
#include <vector>

#include "core/accounting/losses/loss_distribution.hpp"
#include "core/accounting/losses/tilted_composition.hpp"

namespace dpmix {

class LossComposition {
 public:
  // most_points: how many points of the grid are used at a time, at most; a power of two from 1024
  // on. Fewer are faster and prove less; up to 2^17, poll() is called every 10 ms.
  explicit LossComposition(std::int64_t most_points = TiltedComposition::kMostPoints)
      : most_points_(most_points) {}

  // All losses have the same step. times: 1..2^30. Else Error PV005.
  void add(const LossDistribution& loss, std::int64_t times);

  // The least delta proved at epsilon >= 0, at most 1.
  double delta(double epsilon) const;
  // True is a proof that delta(epsilon) <= slack + (1 - slack) gdp_delta(epsilon, mu) for every
  // epsilon >= 0. When it holds in both directions, what is composed is a post-processing of
  // "reveal all with probability slack, else Gaussian noise of that mu".
  bool dominated(double mu, double slack) const;
  // The least epsilon proved at delta, 0 < delta < 1; infinity when there is none in the
  // windows.
  double epsilon(double delta) const;

 private:
  // Some of the outcomes: those of parts, counted so many times.
  struct Slice {
    std::vector<LossPart> parts;
    double weight = 1;
  };
  class Falling;
  struct Reached {
    double epsilon;
    bool blurred;  // another way of summing may prove less
  };

  bool reveals_all() const;
  // All outcomes; or the same, by how large the largest of the rare losses is.
  std::vector<Slice> whole() const { return {{parts_, 1}}; }
  std::vector<Slice> slices() const;
  // What these tilts prove of epsilon(delta).
  Reached reached(const Falling& falling, double delta) const;

  std::int64_t most_points_;
  std::vector<LossPart> parts_;
};

}  // namespace dpmix
