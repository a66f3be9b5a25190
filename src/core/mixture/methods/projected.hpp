// A mixture looked for in fewer dimensions: private principal components, then any other mechanism
// on the rows projected to them, then the way back.
//
// Enters: a request with dimensions p below the number of features d, and how mechanisms are
// started; then the exact statistics that it asks for:
//   first of all rows, whatever their label    their mean and covariance, hence the projection
//   then those of the mechanism inside         in the box [-1, 1]^p of projected rows
// Leaves: both releases, mu-GDP together (docs/proofs/mixture_projected.md), and a mixture in d
// features: along the p directions that of the mechanism inside, across them the same for all
// components.
#pragma once

#include <memory>

#include "core/algebra/matrix.hpp"
#include "core/mixture/methods/method.hpp"
#include "core/mixture/methods/staged.hpp"

namespace dpmix {

class ProjectedGmm : public GmmMechanism {
 public:
  using Start = std::unique_ptr<GmmMechanism> (*)(const GmmRequest&);

  // Error PV005 unless 1 <= dimensions < features; as `start` for what is inside.
  ProjectedGmm(const GmmRequest& request, Start start);

  GmmMethod method() const override { return inner_->method(); }
  std::vector<PassKind> kinds() const override;
  std::optional<Pass> next() const override;
  void take(RandomStream& random, const PassStatistics& exact) override;
  double count_stddev() const override { return inner_->count_stddev(); }
  GmmFit fit(GmmObjective objective) const override;

  // What asks for the next pass: the one for the projection, then the one inside.
  const GmmMechanism& current() const {
    if (projected_) return *inner_;
    return components_;
  }

 private:
  void project();
  void place(GaussianMixture::Component& component) const;

  MomentFrame box_;  // of the features
  StagedGmm components_;
  std::unique_ptr<GmmMechanism> inner_;
  // When projected, in units of the box: a row is mean + axes y + what lies outside of the axes.
  bool projected_ = false, rough_ = false;
  double hidden_ = 0;  // as GmmFit has it, of all rows
  Vector mean_;
  Matrix axes_, outside_;  // outside_: the covariance of the rest
  MomentFrame::Projection projection_;
};

}  // namespace dpmix
