#include "core/regression/exact_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double farthest = 40;  // deviations
// Squares below this share of the largest are found again among their own vectors: in the product
// of all they would be lost in rounding.
constexpr double kept = 1e-5;

struct Squares {
  Vector values;
  Matrix vectors;
};

// Eigenvalues and eigenvectors of root' root, small ones as precise as root itself.
Squares squares_of(const Matrix& root) {
  const Eigen::Index n = root.cols();
  Squares all{Vector(n), Matrix(n, n)};
  Matrix within = Matrix::Identity(n, n);
  Eigen::Index left = n;
  while (left > 0) {
    const Matrix part = product(root, within);
    const Spectrum spectrum = spectrum_of(product(part.transpose(), part));
    const double least = kept * spectrum.values[left - 1];
    Eigen::Index again = 0;
    while (again < left - 1 && spectrum.values[again] < least) ++again;
    const Matrix vectors = product(within, spectrum.vectors);
    all.values.segment(again, left - again) = spectrum.values.tail(left - again).cwiseMax(0);
    all.vectors.middleCols(again, left - again) = vectors.rightCols(left - again);
    within = vectors.leftCols(again);
    left = again;
  }
  return all;
}

// The covariance of the errors of what is not contradicted, at near: of the noise in (G, g)(-b, 1),
// and of sampling, by a matrix that is not below the terms'.
Matrix covariance_at(const NoisySums& sums, const Vector& near, bool population) {
  const Eigen::Index p = near.size();
  const double scale = 1 + near.squaredNorm();
  Matrix covariance = sums.variance * (scale * Matrix::Identity(p, p) + near * near.transpose());
  if (population) {
    const Spectrum terms = spectrum_of(sums.terms);
    const double floor = 1.1 * std::sqrt(2. * static_cast<double>(p) * 2 * sums.variance);
    covariance += scale * sums.alike * sums.residual * terms.with(terms.values.cwiseMax(floor));
  }
  return covariance;
}

}  // namespace

// The vectors as the plane of (direction'(-b), 1) sees them, with direction'b counted from near's.
struct ExactSets::Projection {
  const Vector& values;
  Vector across, last;

  struct Form {
    double across, both, last;
    bool told;  // else no value of direction'b is contradicted
  };

  // The inverse of what is left of the form, once all other directions are chosen for the best.
  Form at(double reach) const {
    Form form{0, 0, 0, false};
    const double square = reach * reach;
    Eigen::Index below = 0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      double over = values[i] - square;
      if (std::fabs(over) <= 1e-12 * square) over = -1e-12 * square;  // outwards
      below += over < 0 ? 1 : 0;
      form.across += across[i] * across[i] / over;
      form.both += across[i] * last[i] / over;
      form.last += last[i] * last[i] / over;
    }
    form.told = below == 1 && form.across * form.last < form.both * form.both;
    return form;
  }

  bool holds(double from_near, double reach) const {
    const Form form = at(reach);
    return !form.told ||
           form.last * from_near * from_near + 2 * form.both * from_near + form.across >= 0;
  }
};

ExactSets::ExactSets(const NoisySums& sums, const Vector& near, bool population) : near_(near) {
  const Eigen::Index p = near.size();
  const double square = near.squaredNorm(), scale = 1 + square;
  // The covariance at any b is at most (last^2 + b'Bb) times that at near, with
  // B = (2 - near near' / (scale + square)) / scale and last^2 = 1 / scale. What is wanted is the
  // root of B's inverse.
  Matrix root = std::sqrt(scale / 2) * Matrix::Identity(p, p);
  if (square > 0) {
    const double along = 1 / std::sqrt(1 - square / (2 * (scale + square)));
    root += std::sqrt(scale / 2) * (along - 1) / square * near * near.transpose();
  }
  Matrix errors(p, p + 1);
  errors << product(sums.terms, root), std::sqrt(scale) * sums.products;
  const Matrix factor = *cholesky(covariance_at(sums, near, population));
  const Squares squares = squares_of(solve_lower(factor, errors));
  values_ = squares.values;
  vectors_.resize(p + 1, p + 1);
  vectors_.topRows(p) = product(root, squares.vectors.topRows(p));
  vectors_.row(p) = std::sqrt(scale) * squares.vectors.row(p);
}

ExactSets::Projection ExactSets::project(const Vector& direction) const {
  const Eigen::Index p = near_.size();
  const Vector last = vectors_.row(p).transpose();
  return {values_, vectors_.topRows(p).transpose() * direction + direction.dot(near_) * last, last};
}

ExactSets::Ends ExactSets::ends(const Vector& direction, double reach) const {
  const Projection seen = project(direction);
  const Projection::Form form = seen.at(reach);
  if (!form.told || form.last >= 0) return {-infinity, infinity};
  const double middle = -form.both / form.last;
  const double half = std::sqrt(form.both * form.both - form.across * form.last) / -form.last;
  const double at = direction.dot(near_);
  return {at + middle - half, at + middle + half};
}

double ExactSets::reach_of(const Vector& direction, double value) const {
  const Projection seen = project(direction);
  const double from_near = value - direction.dot(near_);
  double low = 0, high = farthest;
  if (!seen.holds(from_near, high)) return infinity;
  while (high - low > 1e-9 * high) {
    const double middle = (low + high) / 2;
    (seen.holds(from_near, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace dpmix
