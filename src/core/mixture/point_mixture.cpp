#include "core/mixture/point_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/poll.hpp"
#include "core/mixture/density.hpp"
#include "core/random/uniform.hpp"

namespace dpmix {
namespace {

constexpr int kLloyd = 10;
constexpr double kRelativeFloor = 1e-6;
constexpr double kConverged = 1e-6;  // nats a point and iteration

class Fit {
 public:
  Fit(const WeightedPoints& points, int components, double least_variance)
      : p_(points),
        d_(static_cast<std::size_t>(points.features)),
        k_(static_cast<std::size_t>(components)),
        shares_(points.size() * k_) {
    total_ = std::reduce(p_.weights.begin(), p_.weights.end());
    std::vector<double> mean(d_), square(d_);
    for (std::size_t n = 0; n < p_.size(); ++n) {
      for (std::size_t i = 0; i < d_; ++i) mean[i] += p_.weights[n] * at(n)[i] / total_;
    }
    for (std::size_t n = 0; n < p_.size(); ++n) {
      for (std::size_t i = 0; i < d_; ++i) {
        square[i] += p_.weights[n] * std::pow(at(n)[i] - mean[i], 2) / total_;
      }
    }
    for (std::size_t i = 0; i < d_; ++i) {
      floor_.push_back(std::max(least_variance + kRelativeFloor * square[i], 1e-12));
    }
  }

  void start(RandomStream& random) {  // k-means++, then Lloyd
    std::vector<double> distance(p_.size(), 1);
    std::vector<double> centres;
    for (std::size_t k = 0; k < k_; ++k) {
      double sum = 0;
      for (std::size_t n = 0; n < p_.size(); ++n) sum += distance[n] * p_.weights[n];
      double left = uniform(random) * sum;
      std::size_t chosen = 0;
      for (std::size_t n = 0; n < p_.size(); ++n) {
        if (p_.weights[n] <= 0) continue;
        chosen = n;
        if ((left -= distance[n] * p_.weights[n]) < 0) break;
      }
      centres.insert(centres.end(), at(chosen), at(chosen) + d_);
      for (std::size_t n = 0; n < p_.size(); ++n) {
        const double far = square_distance(at(n), centres.data() + k * d_);
        distance[n] = k == 0 ? far : std::min(distance[n], far);
      }
    }
    for (int round = 0; round < kLloyd; ++round) {
      poll();
      assign_nearest(centres);
      for (std::size_t k = 0; k < k_; ++k) {
        double weight = 0;
        std::vector<double> sum(d_);
        for (std::size_t n = 0; n < p_.size(); ++n) {
          const double w = shares_[n * k_ + k] * p_.weights[n];
          weight += w;
          for (std::size_t i = 0; w > 0 && i < d_; ++i) sum[i] += w * at(n)[i];
        }
        for (std::size_t i = 0; weight > 0 && i < d_; ++i) centres[k * d_ + i] = sum[i] / weight;
      }
    }
    maximise();
  }

  double step() {  // expectation and maximisation; the likelihood before
    const MixtureDensity density(mixture_);
    double sum = 0;
    for (std::size_t n = 0; n < p_.size(); ++n) {
      double* shares = shares_.data() + n * k_;
      const double log_density = density.log_densities(at(n), shares);
      normalise({shares, k_}, log_density);
      if (p_.weights[n] > 0) sum += p_.weights[n] * log_density;
    }
    maximise();
    return sum / total_;
  }

  const GaussianMixture& mixture() const { return mixture_; }

 private:
  const double* at(std::size_t n) const { return p_.points.data() + n * d_; }
  double square_distance(const double* a, const double* b) const {
    double sum = 0;  // each feature in its own units
    for (std::size_t i = 0; i < d_; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]) / floor_[i];
    return sum;
  }

  void assign_nearest(const std::vector<double>& centres) {
    std::fill(shares_.begin(), shares_.end(), 0);
    for (std::size_t n = 0; n < p_.size(); ++n) {
      std::size_t nearest = 0;
      double best = HUGE_VAL;
      for (std::size_t k = 0; k < k_; ++k) {
        const double far = square_distance(at(n), centres.data() + k * d_);
        if (far < best) best = far, nearest = k;
      }
      shares_[n * k_ + nearest] = 1;
    }
  }

  void maximise() {
    mixture_ = {p_.features, {}};
    for (std::size_t k = 0; k < k_; ++k) {
      poll();
      GaussianMixture::Component c{0, 0, std::vector<double>(d_), std::vector<double>(d_ * d_)};
      double weight = 1e-9 * total_;
      for (std::size_t n = 0; n < p_.size(); ++n) {
        const double w = shares_[n * k_ + k] * p_.weights[n];
        if (w <= 0) continue;
        weight += w;
        for (std::size_t i = 0; i < d_; ++i) c.mean[i] += w * at(n)[i];
      }
      for (double& m : c.mean) m /= weight;
      for (std::size_t n = 0; n < p_.size(); ++n) {
        const double w = shares_[n * k_ + k] * p_.weights[n] / weight;
        if (w <= 0) continue;
        for (std::size_t i = 0; i < d_; ++i) {
          const double x = w * (at(n)[i] - c.mean[i]);
          for (std::size_t j = 0; j <= i; ++j)
            c.covariance[i * d_ + j] += x * (at(n)[j] - c.mean[j]);
        }
      }
      for (std::size_t i = 0; i < d_; ++i) {
        c.covariance[i * d_ + i] += floor_[i];
        for (std::size_t j = 0; j < i; ++j) c.covariance[j * d_ + i] = c.covariance[i * d_ + j];
      }
      c.rows = weight;
      c.weight = weight / (total_ * (1 + 1e-9 * static_cast<double>(k_)));
      mixture_.components.push_back(std::move(c));
    }
  }

  const WeightedPoints& p_;
  std::size_t d_, k_;
  double total_;
  std::vector<double> floor_;
  std::vector<double> shares_;  // of each point in each component
  GaussianMixture mixture_;
};

}  // namespace

PointMixture fit_points(const WeightedPoints& points, int components, RandomStream& random,
                        const PointMixtureOptions& options) {
  PointMixture best;
  best.log_likelihood = -HUGE_VAL;
  for (int restart = 0; restart < options.restarts; ++restart) {
    Fit fit(points, components, options.least_variance);
    fit.start(random);
    double before = -HUGE_VAL;
    GaussianMixture mixture = fit.mixture();
    for (int i = 0; i < options.iterations; ++i) {
      const double likelihood = fit.step();
      const bool converged = likelihood - before < kConverged && i > 0;
      before = likelihood;
      if (converged) break;
      mixture = fit.mixture();
    }
    if (before > best.log_likelihood || best.mixture.components.empty()) {
      best = {std::move(mixture), before};
    }
  }
  return best;
}

}  // namespace dpmix
