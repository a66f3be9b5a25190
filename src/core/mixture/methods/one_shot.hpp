// The one-shot release as a mechanism: one pass, moments in the box.
#pragma once

#include "core/mixture/fit/one_shot_fit.hpp"
#include "core/mixture/methods/method.hpp"

namespace dpmix {

class OneShotGmm : public GmmMechanism {
 public:
  explicit OneShotGmm(const GmmRequest& request);  // Error PV005 as plan_gmm

  GmmMethod method() const override { return GmmMethod::one_shot; }
  std::vector<PassKind> kinds() const override { return {PassKind::class_moments}; }
  std::optional<Pass> next() const override;
  void take(RandomStream& random, const PassStatistics& exact) override;
  double count_stddev() const override { return plan_.noise.count; }
  GmmFit fit(GmmObjective objective) const override { return fit_gmm(moments_, plan_, objective); }

 private:
  GmmPlan plan_;
  std::vector<NoisyMoments> moments_;  // empty until taken
};

}  // namespace dpmix
