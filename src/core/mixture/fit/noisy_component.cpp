#include "core/mixture/fit/noisy_component.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/eigenvalue_noise.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/mixture/fit/pool.hpp"

namespace dpmix {
namespace {

constexpr double kMostDivergence = 6;  // the most that a component's weight is lowered by
constexpr double kFloor = .25;         // of the noise: below it a variance is not told from none
constexpr double kLargest = 4, kLeast = 1e-3;  // variances in a frame made to be about 1

double square(double x) {
  return x * x;
}

}  // namespace

GmmFit fit_components(std::span<const NoisyComponent> components, const MomentFrame& box,
                      CovarianceShape shape, GmmObjective objective) {
  const bool diagonal = shape == CovarianceShape::diagonal;
  GmmFit fit;
  fit.mixture.features = box.features;
  fit.shape = shape;
  std::vector<Matrix> covariances;
  Vector weights(std::ssize(components));
  for (const NoisyComponent& c : components) {
    poll();
    const double noise = c.covariance_noise, floor = kFloor * noise;
    const Spectrum seen = spectrum_of(c.covariance, diagonal);
    // Too narrow a component costs the other divergence nothing.
    const bool narrow = diagonal || objective == GmmObjective::forward_kl;
    Vector variances = narrow ? seen.values : without_noise(seen.values, noise);
    for (double& v : variances) {
      if (v < 2 * floor) v = floor + std::max(v, 0.) / 2;  // from floor at 0 to 2 floor
      v = std::clamp(v, kLeast, kLargest);
    }
    // The divergence to be expected, from the noise in the mean and in the covariance.
    const double of_mean = c.mean_variance * variances.cwiseInverse().sum() / 2;
    const double of_covariance = square(noise) / 4 *
                                 (diagonal ? 2 * variances.cwiseInverse().squaredNorm()
                                           : square(variances.cwiseInverse().sum()));
    double& weight = weights[std::ssize(covariances)];
    weight = std::max({c.rows + c.prior_rows, 1., c.rows_noise / 2});
    // Sum q_k (log(q_k / p_k) + D_k) is least at q_k ~ p_k e^{-D_k}.
    if (objective == GmmObjective::forward_kl) {
      weight *= std::exp(-std::min(of_mean + of_covariance, kMostDivergence));
    }
    covariances.push_back(diagonal_congruence(product(c.axes, seen.vectors), variances));
    const double hidden =
        eigenvalue_reach(box.features, std::hypot(noise, c.pooled_noise), diagonal) /
        variances.mean();
    fit.hidden.push_back(hidden);
    ComponentQuality quality = ComponentQuality::usable;
    if (c.rows < 3 * c.rows_noise || of_mean > box.features / 2.) {
      quality = ComponentQuality::too_few_rows;
    } else if (std::max(hidden, 2 * noise / variances.mean()) > 1) {
      quality = ComponentQuality::rough_covariance;
    }
    fit.quality.push_back(quality);
  }
  if (shape == CovarianceShape::shared) share(covariances, weights);
  for (std::size_t k = 0; k < components.size(); ++k) {
    const NoisyComponent& c = components[k];
    GaussianMixture::Component out{
        weights[static_cast<Eigen::Index>(k)] / weights.sum(), std::max(c.rows, 0.), {}, {}};
    place_component(c.centre, covariances[k], box, out);
    fit.mixture.components.push_back(std::move(out));
  }
  return fit;
}

}  // namespace dpmix
