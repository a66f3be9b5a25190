#include "core/mixture/fit/one_shot_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/eigenvalue_noise.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/mixture/fit/pool.hpp"

namespace dpmix {
namespace {

// A variance known with Gaussian noise of deviation `noise`: its mean given that it is positive,
// shrunk by up to `shrink` where the noise hides it.
double denoise(double variance, double noise, double shrink) {
  if (noise == 0) return variance;
  const double u = variance / noise;
  // Mills' ratio; u + density / tail cancels to -1/u far below 0.
  double positive = 0;
  if (u < -30) {
    positive = -1 / u;
  } else {
    const double density = std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi);
    positive = u + density / (std::erfc(-u / std::numbers::sqrt2) / 2);
  }
  const double trust = std::clamp(u / 2, 0., 1.);
  return positive * noise * (shrink + (1 - shrink) * trust);
}

// What denoise() shrinks by, of the factors tried on simulated tables
// (docs/proofs/mixture_one_shot.md): towards 1 the reverse divergence falls and the forward one
// rises.
double shrink_of(GmmObjective objective) {
  return objective == GmmObjective::balanced ? .6 : .3;
}

// The noise of one class, relative to the rows that it is divided by.
class ClassFit {
 public:
  ClassFit(const NoisyMoments& moments, const GmmPlan& plan)
      : d_(plan.frame.features),
        noise_(plan.box_noise()),
        full_(plan.shape != CovarianceShape::diagonal) {
    // Fewer rows than the noise hides are not told from none.
    rows_ = std::max({moments.count, noise_.count, 1.});
    mean_ = Eigen::Map<const Vector>(moments.sums.data(), d_) / rows_;
    mean_ = mean_.cwiseMax(-1).cwiseMin(1);
    covariance_ = (Eigen::Map<const Matrix>(moments.products.data(), d_, d_) -
                   rows_ * mean_ * mean_.transpose()) /
                  std::max(rows_ - 1, 1.);
    if (!full_) covariance_ = Matrix(covariance_.diagonal().asDiagonal());
  }

  void settle(double shrink, double floor) {
    const double raw_trace = covariance_.trace();
    if (full_) {
      const Spectrum seen = spectrum_of(covariance_);
      covariance_ =
          seen.with(settled(seen.values, seen.vectors.transpose() * mean_, shrink, floor));
    } else {
      const Vector variances = settled(covariance_.diagonal(), mean_, shrink, floor);
      covariance_ = Matrix(variances.asDiagonal());
    }
    const double spread = std::sqrt(covariance_.trace() / d_);
    const double moved = eigenvalue_reach(d_, noise_.square / rows_, !full_);
    hidden_ = moved / (spread * spread);
    if (rows_ < 3 * noise_.count || noise_.sum / rows_ > spread) {
      quality_ = ComponentQuality::too_few_rows;
    } else if (std::max(moved, 2 * noise_.square / rows_) > raw_trace / d_) {
      quality_ = ComponentQuality::rough_covariance;
    }
  }

  const Vector& mean() const { return mean_; }
  const Matrix& covariance() const { return covariance_; }
  ComponentQuality quality() const { return quality_; }
  double hidden() const { return hidden_; }  // as GmmFit has it

 private:
  // Variances along orthogonal axes (mean: its coordinates there), made positive. What is negative
  // by noise alone is lost by that, so the sum comes out too large: it is brought back to the
  // trace, which is known better. floor: below it the lattice shows.
  Vector settled(const Vector& noisy, const Vector& mean, double shrink, double floor) const {
    Vector variances(d_), deviations(d_);
    for (int i = 0; i < d_; ++i) {
      deviations[i] = deviation(noisy[i], mean[i]);
      variances[i] = denoise(noisy[i], deviations[i], shrink);
    }
    // Values in [-1, 1]^d have variances that sum to at most d.
    const double trace =
        std::min(denoise(noisy.sum(), deviations.norm(), shrink), static_cast<double>(d_));
    const double sum = variances.sum();
    if (sum > trace) variances *= trace / sum;
    return variances.cwiseMax(floor);
  }
  // The deviation of the noise in the variance along an axis: from the squares, mean and count.
  double deviation(double variance, double along) const {
    return std::hypot(noise_.square, 2 * along * noise_.sum,
                      (along * along - std::max(variance, 0.)) * noise_.count) /
           rows_;
  }

  int d_;
  MomentNoise noise_;
  bool full_;
  double rows_;
  Vector mean_;
  Matrix covariance_;
  ComponentQuality quality_ = ComponentQuality::usable;
  double hidden_ = 0;
};

}  // namespace

GmmFit fit_gmm(const std::vector<NoisyMoments>& moments, const GmmPlan& plan,
               GmmObjective objective) {
  GmmFit fit;
  fit.mixture.features = plan.frame.features;
  fit.shape = plan.shape;
  const double step = plan.step();
  const double least_rows = std::max(1., plan.noise.count / 2);
  Vector rows(std::ssize(moments));
  std::vector<Vector> means;
  std::vector<Matrix> covariances;
  for (const NoisyMoments& m : moments) {
    poll();
    ClassFit settled(m, plan);
    settled.settle(shrink_of(objective), step * step);
    rows[std::ssize(means)] = std::max(m.count, least_rows);
    means.push_back(settled.mean());
    covariances.push_back(settled.covariance());
    fit.quality.push_back(settled.quality());
    fit.hidden.push_back(settled.hidden());
  }
  if (plan.shape == CovarianceShape::shared) share(covariances, rows);
  for (std::size_t k = 0; k < moments.size(); ++k) {
    GaussianMixture::Component component{
        rows[static_cast<Eigen::Index>(k)] / rows.sum(), std::max(moments[k].count, 0.), {}, {}};
    place_component(means[k], covariances[k], plan.frame, component);
    fit.mixture.components.push_back(std::move(component));
  }
  return fit;
}

}  // namespace dpmix
