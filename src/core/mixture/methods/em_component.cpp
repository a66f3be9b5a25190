#include "core/mixture/methods/em_component.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/algebra/inverse.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/clip.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/mixture/fit/noisy_component.hpp"
#include "core/mixture/fit/pool.hpp"

namespace dpmix {
namespace {

constexpr double kWhole = static_cast<double>(MixtureFrame::whole);
constexpr double kWiden = .5;        // of the noise, when a frame is made of a noisy covariance
constexpr double kNarrowest = 1e-9;  // of a frame, in variances of the one before
// The priors of the supplement, in whitened coordinates.
constexpr double kDirichlet = 2, kMeanRows = 1, kPriorVariance = .1;

double square(double x) {
  return x * x;
}

bool diagonal(const Matrix& axes) {
  return axes.isDiagonal(0);
}

// The noise of moments, in units of shares.
MomentNoise noise_of(const SoftPassRequest& request, double a, double b, double c, double r) {
  MomentNoise noise = moment_noise(request.adjacency, request.shape, request.mu, a, b, c, r);
  for (double* n : {&noise.count, &noise.sum, &noise.square, &noise.product}) *n *= kWhole;
  return noise;
}

// The same as moment_weights, where the covariance is not asked for.
MomentWeights mean_weights(int d, double r) {
  const double count = std::sqrt(.5), sum = std::sqrt(d / 2.) * r, total = count + sum;
  return {std::sqrt(count / total), std::sqrt(sum / total) / r, 0, square(total)};
}

// How far a number has moved beyond what the noise of both sightings explains, and how much the new
// one is to be trusted for that.
struct Trust {
  Trust(double known, double noise, double difference)
      : moved(std::max(difference - known - noise, 0.)),
        share((known + moved) / (known + moved + noise)),
        variance(share * noise) {}
  double moved, share, variance;
};

}  // namespace

double GmmComponent::divisor() const {
  return std::max({rows, std::sqrt(rows_variance), 1.});
}

SoftPass box_pass(const MomentFrame& box, const SoftPassRequest& request) {
  SoftPass pass{{box, false, {0}, {1}, {}}, {}};
  pass.frame.frame.classes.resize(1);
  // Under replace a row can cross the whole box, so the sums take less of its norm.
  const double share = request.adjacency == Adjacency::replace ? .5 : .15;
  const auto r = static_cast<double>(box.resolution);
  pass.noise.push_back(noise_of(request, std::sqrt(share), std::sqrt(1 - share) / r, 0, r));
  return pass;
}

SoftPass soft_pass(const MomentFrame& box, const std::vector<GmmComponent>& components,
                   const SoftPassRequest& request) {
  SoftPass pass;
  MomentFrame &frame = pass.frame.frame, &density = pass.frame.density.emplace();
  frame = box;
  frame.classes.clear();
  frame.diagonal = std::all_of(components.begin(), components.end(),
                               [](const GmmComponent& c) { return diagonal(c.axes); });
  density = frame;
  const int d = box.features;
  const double two_rows = request.adjacency == Adjacency::add_remove ? 1 : std::numbers::sqrt2;
  for (const GmmComponent& c : components) {
    poll();
    const auto [map, log_volume_of_axes] = inverse_of(c.axes);
    const Vector deviation = c.covariance.diagonal().cwiseSqrt();
    MomentFrame::Class& view =
        frame.classes.emplace_back(class_at(box, c.centre, map, frame.diagonal));
    view.radius = request.inside > 0 ? radius_of(d, request.inside)
                                     : best_radius(d, two_rows / request.mu / c.divisor());
    density.classes.push_back(
        class_at(box, c.centre, deviation.cwiseInverse().asDiagonal() * map, frame.diagonal));
    density.classes.back().radius = std::sqrt(d);
    const double log_volume = log_volume_of_axes + deviation.array().log().sum();
    pass.frame.log_weight.push_back(std::log(std::max(c.rows, 0.) + kDirichlet - 1) - log_volume);
    pass.frame.tightness.push_back(1);
    const auto r = static_cast<double>(frame.resolution);
    const MomentWeights w =
        request.squares ? moment_weights(d, view.radius) : mean_weights(d, view.radius);
    pass.noise.push_back(
        noise_of(request, w.count, w.sum * view.radius / r, w.square * square(view.radius / r), r));
  }
  return pass;
}

std::vector<NoisyMoments> add_noise(RandomStream& random, const MomentTotals& exact,
                                    const SoftPass& pass) {
  std::vector<NoisyMoments> moments;
  for (std::size_t k = 0; k < pass.noise.size(); ++k) {
    moments.push_back(add_noise(random, exact.classes.empty() ? nullptr : &exact.classes[k],
                                pass.frame.frame.features, pass.noise[k],
                                pass.frame.frame.step(k)));
    moments.back().count /= kWhole;
    for (double& s : moments.back().sums) s /= kWhole;
    for (double& p : moments.back().products) p /= kWhole;
  }
  return moments;
}

namespace {

// mean: in z, what the pass moved the centre by. n: rows, as many as the clip has left of them.
void learn_covariance(GmmComponent& c, const NoisyMoments& seen, const Vector& mean,
                      double squared_step_noise, double kept, CovarianceShape shape) {
  const Eigen::Index d = mean.size();
  const double n = c.divisor();
  Matrix covariance =
      Eigen::Map<const Matrix>(seen.products.data(), d, d) / (n * kept) - mean * mean.transpose();
  if (shape == CovarianceShape::diagonal) covariance = Matrix(covariance.diagonal().asDiagonal());
  const Matrix moved = covariance - c.covariance;
  const auto features = static_cast<double>(d);
  const double entries = shape != CovarianceShape::diagonal ? square(features) : features;
  const Trust spread(c.covariance_variance, square(squared_step_noise / n / kept),
                     moved.squaredNorm() / entries);
  c.covariance += spread.share * moved;
  c.covariance_variance = spread.variance;
  // The mode of the posterior.
  c.covariance = (kPriorVariance * Matrix::Identity(d, d) + n * c.covariance +
                  kMeanRows * n / (kMeanRows + n) * mean * mean.transpose()) /
                 (n + 2 * features + 4);
}

}  // namespace

void absorb(std::vector<GmmComponent>& components, const std::vector<NoisyMoments>& moments,
            const SoftPass& pass, CovarianceShape shape) {
  const int d = pass.frame.frame.features;
  std::vector<NoisyCovariance> covariances;
  for (std::size_t k = 0; k < components.size(); ++k) {
    poll();
    GmmComponent& c = components[k];
    const NoisyMoments& seen = moments[k];
    const double step = pass.frame.frame.step(k), r = pass.frame.frame.classes[k].radius;
    const double rows_noise = square(pass.noise[k].count / kWhole);
    if (std::isfinite(c.rows_variance)) {
      const Trust rows(c.rows_variance, rows_noise, square(seen.count - c.rows));
      c.rows += rows.share * (seen.count - c.rows);
      c.rows_variance = rows.variance;
    } else {
      c.rows = seen.count;
      c.rows_variance = rows_noise;
    }
    const double n = c.divisor();
    // What the clip leaves of a component as wide as it was thought to be.
    const double width = std::sqrt(std::clamp(c.covariance.trace() / d, .1, 4.));
    const double slope = clipped_slope(d, r / width), kept = clipped_variance(d, r / width);
    Vector mean = Eigen::Map<const Vector>(seen.sums.data(), d) / (n * slope);
    const Trust centre(c.mean_variance, square(pass.noise[k].sum / kWhole * step / n / slope),
                       mean.squaredNorm() / d);
    mean *= centre.share * n / (n + kMeanRows);
    c.mean_variance = centre.variance;
    if (pass.noise[k].square > 0) {
      learn_covariance(c, seen, mean, pass.noise[k].square / kWhole * step * step, kept, shape);
    }
    c.centre = (c.centre + c.axes * mean).cwiseMax(-1).cwiseMin(1);
    covariances.push_back({c.axes, c.covariance, std::sqrt(c.covariance_variance)});
  }
  pool(covariances);
  for (std::size_t k = 0; k < components.size(); ++k) {
    GmmComponent& c = components[k];
    c.covariance = covariances[k].covariance;
    if (shape == CovarianceShape::diagonal) {
      c.covariance = Matrix(c.covariance.diagonal().asDiagonal());
    }
    c.covariance_variance = square(covariances[k].noise);
  }
}

void rewhiten(GmmComponent& c, CovarianceShape shape) {
  const Eigen::Index d = c.centre.size();
  const double noise = std::sqrt(c.covariance_variance);
  Vector variances = Vector::Zero(d), unit = Vector::Ones(d);  // unit: what 1 of z^2 is there
  Matrix turned;
  if (shape != CovarianceShape::diagonal) {
    const Spectrum seen = spectrum_of(c.covariance);
    variances = seen.values;
    turned = product(c.axes, seen.vectors);
  } else {  // along the features, whatever the axes were
    variances = congruence(c.axes, c.covariance).diagonal();
    unit = c.axes.rowwise().squaredNorm();
    variances = variances.cwiseQuotient(unit);
    turned = unit.cwiseSqrt().asDiagonal();
  }
  const Vector widened = (variances.cwiseMax(noise / 2).array() +
                          kWiden * std::sqrt(2. * static_cast<double>(d)) * noise + c.mean_variance)
                             .max(kNarrowest)
                             .matrix();
  c.axes = wide_axes(turned * widened.cwiseSqrt().asDiagonal());
  c.covariance = Matrix((variances.cwiseMax(.3 * noise).array() / widened.array())
                            .max(.1)
                            .min(1.)
                            .matrix()
                            .asDiagonal());
  const double inverse = widened.cwiseInverse().mean();
  c.mean_variance = std::min(c.mean_variance * inverse, 1.);
  c.covariance_variance = std::min(c.covariance_variance * square(inverse), 1.);
}

GmmFit mixture_of(const std::vector<GmmComponent>& components, const MomentFrame& box,
                  CovarianceShape shape, GmmObjective objective) {
  std::vector<NoisyComponent> known;
  for (const GmmComponent& c : components) {
    known.push_back({c.centre, c.axes, c.covariance, c.mean_variance,
                     std::sqrt(c.covariance_variance), c.rows, std::sqrt(c.rows_variance),
                     kDirichlet - 1});
  }
  return fit_components(known, box, shape, objective);
}

}  // namespace dpmix
