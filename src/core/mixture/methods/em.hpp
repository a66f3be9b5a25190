// Mixtures of rows without labels: expectation by what is released, maximisation by noisy moments
// of shares (DP-EM; Park, Foulds, Chaudhuri, Welling), and k-means the same way, with hard shares.
//
// Enters: bounds, the number of components or that it is to be chosen, adjacency and a Gaussian-DP
// parameter mu, all public; then, pass by pass, the exact integer statistics that it asks for.
// Leaves: noisy statistics, mu-GDP all passes together (docs/proofs/mixture_em.md), and the mixture
// that post-processing makes of them, always valid.
#pragma once

#include <span>
#include <vector>

#include "core/mixture/methods/em_component.hpp"
#include "core/mixture/methods/em_start.hpp"
#include "core/mixture/methods/method.hpp"

namespace dpmix {

class EmGmm : public GmmMechanism {
 public:
  // Error PV005: with a label, adjacency label, components outside of 1..100, more than MomentFrame
  // allows, or a mu whose noise RoundedNormal cannot draw.
  explicit EmGmm(const GmmRequest& request);

  GmmMethod method() const override { return method_; }
  std::vector<PassKind> kinds() const override {
    return {PassKind::soft_moments, PassKind::class_distances, PassKind::cells};
  }
  std::optional<Pass> next() const override;
  void take(RandomStream& random, const PassStatistics& exact) override;
  double count_stddev() const override { return count_stddev_; }
  GmmFit fit(GmmObjective objective) const override;

  // The noise of the next pass: deviations for soft moments and for each bin or cell, in lattice
  // units; pass_mu(): how far neighbours may move them, in those deviations.
  const std::vector<MomentNoise>& noise() const;
  double bin_noise() const { return start_.bin_noise(); }
  double pass_mu() const;

 private:
  void require_drawable(const GmmComponent& widest) const;
  void look();

  GmmMethod method_;
  CovarianceShape shape_;
  Adjacency adjacency_;
  double mu_;
  GmmStart start_;
  std::span<const double> rounds_;        // shares of mu^2
  std::vector<GmmComponent> components_;  // once the start is done
  SoftPass soft_;
  MomentFrame clusters_;  // kmeans: the centres that rows belong to
  int round_ = 0;
  double count_stddev_ = 0;
};

}  // namespace dpmix
