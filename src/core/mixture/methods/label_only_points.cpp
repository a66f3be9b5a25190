#include "core/mixture/methods/label_only_points.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/cholesky.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/component_view.hpp"

namespace dpmix {
namespace {

constexpr double kBorrowed = 3;  // rows of the common covariance that each label starts with
constexpr double kLeastVariance =
    1e-12;  // of the box: a million steps of its lattice are its width

Eigen::Map<Matrix> covariance_of(GaussianMixture::Component& c) {
  const auto d = static_cast<Eigen::Index>(c.mean.size());
  return {c.covariance.data(), d, d};
}

Eigen::Map<const Matrix> covariance_of(const GaussianMixture::Component& c) {
  const auto d = static_cast<Eigen::Index>(c.mean.size());
  return {c.covariance.data(), d, d};
}

}  // namespace

LabelledPoints::LabelledPoints(Matrix points, Vector weights, Matrix shares, CovarianceShape shape)
    : shape_(shape),
      points_(std::move(points)),
      shares_(std::move(shares)),
      weights_(std::move(weights)),
      labelled_(shares_.colwise().sum().transpose()) {
  const auto d = static_cast<std::size_t>(points_.rows());
  mixture_.features = static_cast<int>(d);
  mixture_.components.assign(static_cast<std::size_t>(shares_.rows()),
                             {1, 0, std::vector<double>(d), std::vector<double>(d * d)});
  maximise();
}

void LabelledPoints::iterate(int times) {
  for (int i = 0; i < times; ++i) {
    expect();
    maximise();
  }
  expect();
}

void LabelledPoints::expect() {
  for (std::size_t k = 0; k < mixture_.components.size(); ++k) {
    poll();
    const GaussianMixture::Component& c = mixture_.components[k];
    const auto covariance = covariance_of(c);
    Matrix z = points_.colwise() - Eigen::Map<const Vector>(c.mean.data(), points_.rows());
    double log_root = 0;  // of the determinant
    if (shape_ == CovarianceShape::diagonal) {
      z.array().colwise() /= covariance.diagonal().array().sqrt();
      log_root = covariance.diagonal().array().log().sum() / 2;
    } else {
      const Matrix root = cholesky(covariance).value();
      z = solve_lower(root, std::move(z));
      log_root = log_determinant(root);
    }
    shares_.row(static_cast<Eigen::Index>(k)) =
        (std::log(c.weight) - log_root - z.colwise().squaredNorm().array() / 2).matrix();
  }
  const Eigen::RowVectorXd most = shares_.colwise().maxCoeff();
  shares_ = (shares_.rowwise() - most).array().exp();
  const Eigen::RowVectorXd factor = labelled_.transpose().cwiseQuotient(shares_.colwise().sum());
  shares_ = shares_ * factor.asDiagonal();
}

void LabelledPoints::maximise() {
  const Eigen::Index d = points_.rows();
  for (std::size_t k = 0; k < mixture_.components.size(); ++k) {
    poll();
    GaussianMixture::Component& c = mixture_.components[k];
    const Vector w = weights_.cwiseProduct(shares_.row(static_cast<Eigen::Index>(k)).transpose());
    c.rows = w.sum();
    Eigen::Map<Vector> mean(c.mean.data(), d);
    mean = points_ * w / std::max(c.rows, 1e-9);
    const Matrix apart = points_.colwise() - mean;
    if (shape_ == CovarianceShape::diagonal) {
      covariance_of(c) = Matrix(Vector(apart.cwiseAbs2() * w).asDiagonal());
    } else {
      covariance_of(c) = diagonal_congruence(apart, w);
    }
  }
  steady();
}

// Makes sums of squares into covariances that are wide enough, and rows into weights.
void LabelledPoints::steady() {
  const Eigen::Index d = points_.rows();
  Matrix common = Matrix::Zero(d, d);
  double rows = 0;
  for (const GaussianMixture::Component& c : mixture_.components) {
    common += covariance_of(c);
    rows += c.rows;
  }
  common /= std::max(rows, 1e-9);
  common.diagonal().array() += kLeastVariance;
  double total = 0;
  for (GaussianMixture::Component& c : mixture_.components) {
    auto covariance = covariance_of(c);
    covariance = ((covariance + kBorrowed * common) / (c.rows + kBorrowed)).eval();
    covariance.diagonal() += 1e-6 * common.diagonal();
    if (shape_ == CovarianceShape::diagonal) {
      covariance = Matrix(covariance.diagonal().asDiagonal());
    }
    if (!cholesky(covariance)) {
      covariance = Matrix(covariance.diagonal().cwiseMax(kLeastVariance).asDiagonal());
    }
    c.weight = std::max(c.rows, 1e-3);
    total += c.weight;
  }
  for (GaussianMixture::Component& c : mixture_.components) c.weight /= total;
}

MixtureFrame LabelledPoints::frame(const MomentFrame& box) const {
  return component_view(mixture_, box, shape_ == CovarianceShape::diagonal);
}

void LabelledPoints::refine(const MomentTotals& exact, const MixtureFrame& frame) {
  if (exact.classes.empty()) return;
  const Eigen::Index d = points_.rows();
  const auto whole = static_cast<double>(MixtureFrame::whole);
  const bool diagonal = frame.frame.diagonal;
  double before = 0, total = 0;
  sums_.clear();
  shares_in_sums_ = shares_;
  for (std::size_t k = 0; k < mixture_.components.size(); ++k) {
    GaussianMixture::Component& c = mixture_.components[k];
    const MomentTotals::Class& moments = exact.classes[k];
    const double step = frame.frame.step(k), n = static_cast<double>(moments.count) / whole;
    before += c.rows;
    total += n;
    c.rows = n;
    auto covariance = covariance_of(c);
    const Matrix axes = cholesky(covariance).value();
    const double divisor = std::max(n, 1e-6);
    Vector mean(d);
    Matrix products = Matrix::Zero(d, d);
    std::size_t at = 0;
    for (Eigen::Index i = 0; i < d; ++i) {
      mean[i] = to_double(moments.sums[static_cast<std::size_t>(i)]) / whole * step;
      for (Eigen::Index j = i; j < d; ++j, ++at) {
        if (diagonal && i != j) continue;
        products(i, j) = products(j, i) = to_double(moments.products[at]) / whole * step * step;
      }
    }
    mean /= divisor;
    covariance = congruence(axes, products - n * mean * mean.transpose());
    Eigen::Map<Vector> centre(c.mean.data(), d);
    centre += axes * mean;
    sums_.push_back({n, centre, covariance});
    centre = centre.cwiseMax(-1).cwiseMin(1).eval();
  }
  if (before > 0) weights_ *= total / before;
  steady();
  expect();
}

}  // namespace dpmix
