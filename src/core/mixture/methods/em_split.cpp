#include "core/mixture/methods/em_split.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/place.hpp"

namespace dpmix {
namespace {

constexpr double kLeastGain = .02;  // nats per row of the components concerned

// A component in box units.
struct Blob {
  double rows;
  Vector centre;
  Matrix covariance;
  double log_det;
  double widest;   // its largest variance, after what components of the kind have there,
  Vector along;    // in this direction
  double typical;  // and what they have there

  double likelihood() const { return rows * (std::log(rows) - log_det / 2); }
};

Blob blob(double rows, Vector centre, Matrix covariance) {
  const Spectrum spectrum = spectrum_of(covariance);
  const Vector variances = spectrum.values.cwiseMax(1e-200);
  return {rows,
          std::move(centre),
          std::move(covariance),
          variances.array().log().sum(),
          variances.maxCoeff(),
          spectrum.vectors.rightCols(1),
          0};
}

Blob blob_of(const GmmComponent& c) {
  const Spectrum seen = spectrum_of(c.covariance);
  const Vector variances =
      seen.values.cwiseMax(std::sqrt(c.covariance_variance) / 4).cwiseMax(1e-3);
  return blob(c.divisor(), c.centre, diagonal_congruence(product(c.axes, seen.vectors), variances));
}

Blob merged(const Blob& a, const Blob& b) {
  const double rows = a.rows + b.rows, p = a.rows / rows;
  const Vector apart = a.centre - b.centre;
  return blob(rows, p * a.centre + (1 - p) * b.centre,
              p * a.covariance + (1 - p) * b.covariance + p * (1 - p) * apart * apart.transpose());
}

// What the others have along the direction in which blob k is widest: the median.
double typical_variance(const std::vector<Blob>& blobs, std::size_t k) {
  std::vector<double> others;
  for (std::size_t j = 0; j < blobs.size(); ++j) {
    if (j != k) others.push_back(blobs[k].along.dot(blobs[j].covariance * blobs[k].along));
  }
  std::nth_element(others.begin(), others.begin() + std::ssize(others) / 2, others.end());
  return others[others.size() / 2];
}

// What two halves as wide as the others gain over one blob: positive from 4 times as wide on.
double gain_of_split(const Blob& b) {
  return b.rows * (std::log(b.widest / b.typical) / 2 - std::log(2.));
}

void assign(GmmComponent& c, const Blob& b) {
  const Spectrum seen = spectrum_of(b.covariance);
  c.centre = b.centre.cwiseMax(-1).cwiseMin(1);
  c.axes = wide_axes(seen.vectors * seen.values.cwiseMax(0).cwiseSqrt().asDiagonal());
  c.covariance = Matrix::Identity(b.centre.size(), b.centre.size());
  c.mean_variance = c.covariance_variance = .25;  // a guess
  c.rows = b.rows;
  c.rows_variance = std::pow(b.rows, 2);
}

}  // namespace

void split_and_merge(std::vector<GmmComponent>& components) {
  if (components.size() < 3) return;
  std::vector<Blob> blobs;
  for (const GmmComponent& c : components) blobs.push_back(blob_of(c));
  std::vector<bool> changed(blobs.size());
  for (std::size_t swaps = 0; swaps < blobs.size() / 2; ++swaps) {
    double best = 0;
    std::size_t one = 0, other = 0, wide = 0;
    for (std::size_t k = 0; k < blobs.size(); ++k) blobs[k].typical = typical_variance(blobs, k);
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      poll();
      for (std::size_t j = 0; j < i; ++j) {
        if (changed[i] || changed[j]) continue;
        const double loss =
            blobs[i].likelihood() + blobs[j].likelihood() - merged(blobs[i], blobs[j]).likelihood();
        for (std::size_t k = 0; k < blobs.size(); ++k) {
          const double split = gain_of_split(blobs[k]);
          if (changed[k] || k == i || k == j || split <= 0) continue;
          const double rows = blobs[i].rows + blobs[j].rows + blobs[k].rows;
          const double gain = split - loss - kLeastGain * rows;
          if (gain > best) best = gain, one = i, other = j, wide = k;
        }
      }
    }
    if (best <= 0) return;
    Blob& cut = blobs[wide];
    const Vector half = std::sqrt(cut.widest - cut.typical) * cut.along;
    const Matrix narrow = cut.covariance - half * half.transpose();
    const double rows = cut.rows / 2;
    const Vector centre = cut.centre;
    blobs[one] = merged(blobs[one], blobs[other]);
    blobs[other] = blob(rows, centre - half, narrow);
    cut = blob(rows, centre + half, narrow);
    for (const std::size_t k : {one, other, wide}) {
      changed[k] = true;
      assign(components[k], blobs[k]);
    }
  }
}

}  // namespace dpmix
