// Gaussian mixtures: from noisy moments to a model that is always valid, and how far two models are
// from each other. All post-processing of released numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mixture/fit/moments.hpp"

namespace dpmix {

// In the units of the features. Guaranteed of fit_gmm's: weights positive with sum 1, means inside
// the bounds, covariances finite and positive definite (row by row, symmetric).
struct GaussianMixture {
  struct Component {
    double weight;
    double rows;  // noisy, at least 0
    std::vector<double> mean, covariance;
  };
  int features = 0;
  std::vector<Component> components;
};

// What errors of a covariance cost: KL(released || fitted) punishes too wide a component, the
// opposite direction too narrow a one.
enum class GmmObjective { balanced, forward_kl };
std::optional<GmmObjective> gmm_objective_of(std::string_view name);

enum class ComponentQuality {
  usable,
  rough_covariance,  // its variances are below twice their noise
  too_few_rows,      // fewer than the noise can hide, or a mean noisier than the component is wide
};

struct GmmFit {
  GaussianMixture mixture;
  std::vector<ComponentQuality> quality;
};
GmmFit fit_gmm(const std::vector<NoisyMoments>& moments, const GmmPlan& plan,
               GmmObjective objective);

// One line: which components to distrust, and why. labels: one for each component, or none at all.
std::string quality_note(const GmmFit& fit, const std::vector<std::string>& labels);

// KL(a || b) of the joint laws of (component, x), in nats; component k of a belongs to match[k] of
// b:
//   sum_k w_k (ln(w_k / v_k) + KL(N_k || M_k))      (Liu, Scaglione, Peisert, eq. 8)
double gmm_kl(const GaussianMixture& a, const GaussianMixture& b, const std::vector<int>& match);

}  // namespace dpmix
