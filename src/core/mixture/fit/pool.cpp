#include "core/mixture/fit/pool.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/inverse.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

constexpr double kLeastVariation = .004;    // of tau^2
constexpr double kTypicalVariation = .025;  // while tau^2 is not known
constexpr double kRounding = 1e-15;         // of the largest: what eigenvalues are known to

Matrix positive(const Matrix& matrix, double floor, bool diagonal) {
  const Spectrum s = spectrum_of(matrix, diagonal);
  return s.with(s.values.cwiseMax(floor));
}

// The common covariance, and how much classes differ from it.
struct Common {
  Matrix covariance;
  double variation;  // tau^2
};

Common common_of(const std::vector<NoisyCovariance>& classes, bool diagonal) {
  const Eigen::Index d = classes.front().axes.rows();
  double total = 0;
  Common common{Matrix::Zero(d, d), 0};
  for (const NoisyCovariance& c : classes) {
    const double weight = 1 / (c.noise * c.noise + kTypicalVariation);
    const Matrix seen = positive(c.covariance, .3 * c.noise + 1e-4, diagonal);
    common.covariance += weight * congruence(c.axes, seen);
    total += weight;
  }
  common.covariance /= total;
  for (int round = 0; round < 2; ++round) {
    const Spectrum s = spectrum_of(common.covariance, diagonal);
    const double least = std::max(kRounding * s.values.maxCoeff(), 1e-300);
    const Vector root = s.values.cwiseMax(least).cwiseSqrt();
    const Matrix whiten = s.with(root.cwiseInverse()), colour = s.with(root);
    std::vector<Matrix> relative;
    Vector noise(std::ssize(classes));
    double excess = 0, weights = 0;
    for (const NoisyCovariance& c : classes) {
      const Matrix map = product(whiten, c.axes);
      relative.push_back(congruence(map, c.covariance));
      const Matrix difference = relative.back() - Matrix::Identity(d, d);
      const double entries = static_cast<double>(diagonal ? d : d * (d + 1) / 2);
      // Squares of the upper triangle, its diagonal included.
      const double squares = (difference.squaredNorm() + difference.diagonal().squaredNorm()) / 2;
      const double deviation = c.noise * map.squaredNorm() / static_cast<double>(d);
      const auto k = std::ssize(relative) - 1;
      noise[k] = deviation * deviation;
      const double weight = 1 / std::pow(noise[k] + kTypicalVariation, 2);
      excess += weight * (squares / entries - noise[k]);
      weights += weight;
    }
    common.variation = std::max(excess / weights, kLeastVariation);
    Matrix mean = Matrix::Zero(d, d);
    double sum = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const double weight = 1 / (noise[static_cast<Eigen::Index>(k)] + common.variation);
      mean += weight * relative[k];
      sum += weight;
    }
    common.covariance = congruence(colour, positive(mean / sum, .02, diagonal));
  }
  return common;
}

void shrink(NoisyCovariance& c, const Common& common, bool diagonal) {
  const Spectrum prior =
      spectrum_of(congruence(inverse_of(c.axes).matrix, common.covariance), diagonal);
  const Vector p = prior.values.cwiseMax(1e-9);
  Matrix seen = congruence(prior.vectors.transpose(), c.covariance);
  const double noise = c.noise * c.noise;
  double trusted = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    for (Eigen::Index j = 0; j < p.size(); ++j) {
      const double variance = common.variation * p[i] * p[j] * (i == j ? 2 : 1);
      const double trust = variance / (variance + noise);
      seen(i, j) = trust * seen(i, j) + (i == j ? (1 - trust) * p[i] : 0);
      if (i == j) trusted += trust;
    }
  }
  c.covariance = congruence(prior.vectors, seen);
  c.noise *= std::sqrt(trusted / static_cast<double>(p.size()));
}

}  // namespace

void pool(std::vector<NoisyCovariance>& classes, bool diagonal) {
  if (classes.size() < 2) return;
  const Common common = common_of(classes, diagonal);
  for (NoisyCovariance& c : classes) shrink(c, common, diagonal);
}

void share(std::vector<Matrix>& covariances, const Vector& rows) {
  Matrix mean = Matrix::Zero(covariances.front().rows(), covariances.front().cols());
  for (std::size_t k = 0; k < covariances.size(); ++k) {
    mean += rows[static_cast<Eigen::Index>(k)] / rows.sum() * covariances[k];
  }
  std::fill(covariances.begin(), covariances.end(), mean);
}

}  // namespace dpmix
