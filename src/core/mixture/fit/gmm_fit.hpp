// A mixture made of noisy numbers, and which of its components to trust. Post-processing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

// What errors of a covariance cost: KL(released || fitted) punishes too wide a component, the
// opposite direction too narrow a one.
enum class GmmObjective { balanced, forward_kl };
std::optional<GmmObjective> gmm_objective_of(std::string_view name);

enum class ComponentQuality {
  usable,
  rough_covariance,  // noise moves its eigenvalues, or twice its variances, by more than their mean
  too_few_rows,      // fewer than the noise can hide, or a mean noisier than the component is wide
};

struct GmmFit {
  GaussianMixture mixture;
  CovarianceShape shape = CovarianceShape::full;
  std::vector<ComponentQuality> quality;
  std::vector<double> hidden;  // how far noise moves a covariance's eigenvalues, in their mean
};

// One line: which components to distrust, and why. labels: one for each component, or none at all.
std::string quality_note(const GmmFit& fit, const std::vector<std::string>& labels);

}  // namespace dpmix
