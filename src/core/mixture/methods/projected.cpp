#include "core/mixture/methods/projected.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/mixture/fit/place.hpp"

namespace dpmix {
namespace {

// Chosen on simulated tables.
constexpr double kShare = .5;  // of mu^2, for the projection
constexpr double kReach = 5;   // deviations of all rows along an axis that the inner box holds
// Not private by noise, but because neighbours agree in all that it looks at.
constexpr double kPublicMu = 1e4;
constexpr double kLeastShare = .05;         // of a feature's own axis outside
constexpr double inward = 1 - 0x1p-40;      // for the roundings of the shares
constexpr double kLeastEigenvalue = 1e-10;  // of the largest
constexpr double kLeastDeviation = 1e-12;   // of the box: what is constant has some width too

double mu_of_projection(const GmmRequest& request) {
  if (request.adjacency == Adjacency::label) return kPublicMu;
  return request.mu * std::sqrt(kShare) * inward;
}

GmmRequest one_class_of_all_rows(const GmmRequest& request) {
  GmmRequest all = request;
  all.classes = 1;
  all.components = std::nullopt;
  all.shape = CovarianceShape::full;
  all.mu = mu_of_projection(request);
  return all;
}

GmmRequest inner_request(const GmmRequest& request) {
  const auto features = static_cast<int>(request.lower.size());
  const int p = request.dimensions.value_or(0);
  if (p < 1 || p >= features) {
    refuse_parameter("dimensions out of range",
                     "dimensions is " + std::to_string(p) +
                         (features == 1 ? "; a single feature has no fewer dimensions."
                                        : "; with " + std::to_string(features) +
                                              " features the valid range is 1 to " +
                                              std::to_string(features - 1) + "."),
                     "Name fewer dimensions than features, or leave dimensions out.");
  }
  GmmRequest inner = request;
  inner.lower.assign(static_cast<std::size_t>(p), -1);
  inner.upper.assign(static_cast<std::size_t>(p), 1);
  inner.dimensions = std::nullopt;
  if (request.adjacency != Adjacency::label) inner.mu = request.mu * std::sqrt(1 - kShare) * inward;
  return inner;
}

PassKind of_all_rows(PassKind kind) {
  return kind == PassKind::class_moments ? PassKind::row_moments : PassKind::row_distances;
}

}  // namespace

ProjectedGmm::ProjectedGmm(const GmmRequest& request, Start start)
    : box_(box_frame(request.lower, request.upper, 1)),
      components_(one_class_of_all_rows(request)),
      inner_(start(inner_request(request))) {}

std::vector<PassKind> ProjectedGmm::kinds() const {
  std::vector<PassKind> kinds = inner_->kinds();
  for (const PassKind kind : components_.kinds()) kinds.push_back(of_all_rows(kind));
  return kinds;
}

std::optional<Pass> ProjectedGmm::next() const {
  std::optional<Pass> pass = current().next();
  if (!pass) return pass;
  if (projected_) {
    pass->frame.projection = projection_;
  } else {
    pass->kind = of_all_rows(pass->kind);
  }
  return pass;
}

void ProjectedGmm::take(RandomStream& random, const PassStatistics& exact) {
  if (projected_) {
    inner_->take(random, exact);
    return;
  }
  components_.take(random, exact);
  if (!components_.next()) project();
}

// The rest of this file is post-processing of released numbers.

void ProjectedGmm::project() {
  const GmmFit all = components_.fit(GmmObjective::balanced);
  const GaussianMixture::Component& c = all.mixture.components.front();
  const MomentFrame::Class& box = box_.classes.front();
  const auto d = static_cast<Eigen::Index>(box_.features);
  const auto p = std::ssize(inner_->next()->frame.lower);
  const Vector scale = Eigen::Map<const Vector>(box.whitening.data(), d);  // 1 / half width
  const Vector centre = Eigen::Map<const Vector>(box.centre.data(), d);
  mean_ = (Eigen::Map<const Vector>(c.mean.data(), d) - centre).cwiseProduct(scale);
  const Matrix covariance =
      scale.asDiagonal() * Eigen::Map<const Matrix>(c.covariance.data(), d, d) * scale.asDiagonal();
  const Spectrum spectrum = spectrum_of(covariance);
  const Matrix leading = spectrum.vectors.rightCols(p).rowwise().reverse();
  const Vector deviations = spectrum.values.tail(p).reverse().cwiseMax(0).cwiseSqrt();
  // How far the box goes along each axis.
  const Vector farthest =
      leading.cwiseAbs().colwise().sum().transpose() + (leading.transpose() * mean_).cwiseAbs();
  const Vector reach = (kReach * deviations).cwiseMin(farthest).cwiseMax(kLeastDeviation);
  axes_ = leading * reach.asDiagonal();

  // What is left, feature by feature: of noise alike in all of them, each shows the part of its own
  // axis that lies outside.
  const Matrix rest = Matrix::Identity(d, d) - product(leading, leading.transpose());
  const Vector left = congruence(rest, covariance).diagonal().cwiseMax(0);
  const Vector own = left.cwiseQuotient(rest.diagonal().cwiseMax(kLeastShare));
  const Matrix seen = diagonal_congruence(rest, own);
  outside_ = seen * (left.sum() / std::max(seen.trace(), 1e-300));
  rough_ = all.quality.front() != ComponentQuality::usable;
  hidden_ = all.hidden.front();

  const Matrix map = reach.cwiseInverse().asDiagonal() * leading.transpose() * scale.asDiagonal();
  projection_ = {box_.lower, box_.upper, {}, {}};
  for (Eigen::Index j = 0; j < d; ++j) {
    projection_.centre.push_back(centre[j] + mean_[j] / scale[j]);
  }
  for (Eigen::Index i = 0; i < p; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) projection_.map.push_back(map(i, j));
  }
  projected_ = true;
}

void ProjectedGmm::place(GaussianMixture::Component& c) const {
  const Eigen::Index p = axes_.cols();
  const Vector mean = mean_ + axes_ * Eigen::Map<const Vector>(c.mean.data(), p);
  const Matrix within = congruence(axes_, Eigen::Map<const Matrix>(c.covariance.data(), p, p));
  const Spectrum spectrum = spectrum_of(within + outside_);
  const double least = kLeastEigenvalue * spectrum.values.maxCoeff();
  place_component(mean, spectrum.with(spectrum.values.cwiseMax(least)), box_, c);
}

GmmFit ProjectedGmm::fit(GmmObjective objective) const {
  GmmFit fit = inner_->fit(objective);
  fit.mixture.features = box_.features;
  for (GaussianMixture::Component& c : fit.mixture.components) {
    poll();
    place(c);
  }
  if (rough_) {
    for (std::size_t k = 0; k < fit.quality.size(); ++k) {
      ComponentQuality& quality = fit.quality[k];
      if (quality == ComponentQuality::usable) quality = ComponentQuality::rough_covariance;
      fit.hidden[k] = std::max(fit.hidden[k], hidden_);
    }
  }
  return fit;
}

}  // namespace dpmix
