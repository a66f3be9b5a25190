#include "core/mixture/fit/shape_choice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dpmix {
namespace {

// Chosen on simulated tables. A look sees less than its own noise alone would let it, for its frame
// is made of noisier ones.
constexpr double kFrames = 2;
// Mean squares before anything was seen, and how far tables are from them: of correlations, and of
// how classes differ from what they have in common.
constexpr double kCorrelated = .25, kApart = .1, kDeviation = .3;
constexpr double kSure = .4;
constexpr double kStrong = .5;  // the mean square of correlations of features that nearly agree

double square(double x) {
  return x * x;
}

// Twice the divergence that a mean square error by feature costs: small errors add up, large ones
// cost less than their squares.
double cost(double error, Eigen::Index features) {
  return static_cast<double>(features) * std::log1p(error);
}

// What the last look's noise costs: in the covariance of each class, in its variances alone, in a
// covariance that all classes have in common.
struct NoiseCost {
  double own = 0, variances = 0, common = 0;
};
NoiseCost noise_cost(std::span<const FirstLook> classes, Eigen::Index features) {
  const double entries = kFrames * static_cast<double>(features + 1) / 4;  // by feature
  double rows = 0, common = 0;
  NoiseCost noise;
  for (const FirstLook& c : classes) {
    const double variance = square(c.at_last);
    rows += c.rows;
    noise.own += c.rows * cost(entries * variance, features);
    noise.variances += c.rows * cost(variance / 2, features);
    common += square(c.rows) * variance;
  }
  return {noise.own / rows, noise.variances / rows,
          cost(entries * common / square(rows), features)};
}

// The mean of squares in units of their sizes, of numbers that are seen with noise.
struct MeanSquare {
  double excess = 0, sizes = 0, variance = 0, together = 0;

  // noise: its variance; that of its square, if normal, is twice the square. centre: the variance
  // of what is wrong in all numbers at once.
  void add(double weight, double seen, double noise, double centre, double size) {
    excess += weight * (square(seen) - noise - centre);
    sizes += weight * size;
    variance += 2 * square(weight * noise);
    together += weight * centre;
  }
  void add(const MeanSquare& other, double weight) {
    excess += weight * other.excess;
    sizes += weight * other.sizes;
    variance += square(weight) * (other.variance + square(other.together));
  }
  double value(double expected) const {
    if (!(sizes > 0)) return expected;
    const double noise = (variance + square(together)) / square(sizes);
    const double trust = square(kDeviation) / (square(kDeviation) + noise);
    return std::max(expected + trust * (excess / sizes - expected), 0.);
  }
};

// Noisy variances, as far apart as they are beyond their noise.
Vector steadied(const Vector& seen, double noise) {
  const double mean = seen.mean();
  const double spread = (seen.array() - mean).square().mean();
  const double trust = spread > noise ? 1 - noise / spread : 0;
  return (mean + trust * (seen.array() - mean)).max(0.).matrix();
}

}  // namespace

bool only_diagonal(std::span<const FirstLook> classes, int features) {
  return features > 1 &&
         noise_cost(classes, features).common > cost(kStrong * (features - 1) / 2, features);
}

ShapeChoice best_shape(std::span<const FirstLook> classes) {
  const Eigen::Index d = classes.front().covariance.rows();
  double rows = 0, squares = 0, noise = 0;
  Matrix common = Matrix::Zero(d, d);
  for (const FirstLook& c : classes) {
    rows += c.rows;
    squares += square(c.rows);
    common += c.rows * c.covariance;
    noise += square(c.rows * c.noise);
  }
  common /= rows;
  noise /= square(rows);
  const Vector variances = steadied(common.diagonal(), noise);
  // Entries count as far as they are told from noise; all classes tell what to expect of each.
  struct Squares {
    MeanSquare correlated, apart;
  } all;
  std::vector<Squares> each;
  for (const FirstLook& c : classes) {
    Squares& own = each.emplace_back();
    const double centre = square(c.centre), differing = 1 - 2 * c.rows / rows;
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        const double size = variances[i] * variances[j];
        if (!(size > 0)) continue;
        const double weight = size / square(size + noise), part = i == j ? 1 : .5;  // of the noise
        const double seen = c.covariance(i, j), of_seen = part * square(c.noise);
        if (i != j) own.correlated.add(weight, seen, of_seen, part * centre, size);
        own.apart.add(weight * (1.5 - part), seen - common(i, j),
                      of_seen * differing + part * noise, part * centre, size);
      }
    }
    all.correlated.add(own.correlated, square(c.rows) / squares);
    all.apart.add(own.apart, square(c.rows) / squares);
  }
  double correlated = 0, apart = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const double part = classes[k].rows / rows;
    correlated += part * each[k].correlated.value(all.correlated.value(kCorrelated));
    apart += part * each[k].apart.value(all.apart.value(kApart));
  }
  const auto n = static_cast<double>(d);
  const NoiseCost of_noise = noise_cost(classes, d);
  const double full = of_noise.own;
  const double diagonal = of_noise.variances + cost(correlated * (n - 1) / 2, d);
  const double shared = of_noise.common + cost(apart * n / 2, d);
  const double other = std::min(diagonal, shared);
  if (full <= other) return {CovarianceShape::full, full < kSure * other};
  return {diagonal <= shared ? CovarianceShape::diagonal : CovarianceShape::shared, false};
}

}  // namespace dpmix
