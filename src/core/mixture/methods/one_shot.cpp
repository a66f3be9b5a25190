#include "core/mixture/methods/one_shot.hpp"

namespace dpmix {

OneShotGmm::OneShotGmm(const GmmRequest& r)
    : plan_(plan_gmm(r.lower, r.upper, r.classes, r.shape.value_or(CovarianceShape::full),
                     r.adjacency, r.mu)) {}

std::optional<Pass> OneShotGmm::next() const {
  if (!moments_.empty()) return std::nullopt;
  return Pass{PassKind::class_moments, plan_.frame, {}};
}

void OneShotGmm::take(RandomStream& random, const PassStatistics& exact) {
  moments_ = add_noise(random, std::get<MomentTotals>(exact), plan_);
}

}  // namespace dpmix
