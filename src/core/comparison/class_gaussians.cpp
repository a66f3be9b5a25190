#include "core/comparison/class_gaussians.hpp"

#include <cmath>
#include <numbers>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/product.hpp"
#include "core/base/poll.hpp"
#include "core/input/cluster_frame.hpp"
#include "core/stats/pass.hpp"

namespace dpmix {
namespace {

constexpr double kRidge = 1e-4;    // of half widths squared: a hundredth of a half width
constexpr double kNever = -1e100;  // log weight of a class without rows

struct ClassFit {
  double rows = 0;
  Vector mean;
  Matrix covariance;
};

ClassFit fit_class(const NoisyMoments& exact, Eigen::Index d) {
  ClassFit fit{exact.count, Vector::Zero(d), Matrix::Zero(d, d)};
  if (exact.count == 0) return fit;
  fit.mean = Eigen::Map<const Vector>(exact.sums.data(), d) / exact.count;
  fit.covariance = Eigen::Map<const Matrix>(exact.products.data(), d, d) / exact.count -
                   fit.mean * fit.mean.transpose();
  return fit;
}

Matrix whitening_of(const Matrix& covariance) {
  return inverse_of_lower(cholesky(covariance).value());
}

MomentFrame::Class placed(const MomentFrame::Class& box, const Vector& mean, const Matrix& map) {
  MomentFrame::Class out;
  out.radius = 1;
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.centre.push_back(box.centre[at] + mean(i) / box.whitening[at]);
    for (Eigen::Index j = 0; j < mean.size(); ++j) {
      out.whitening.push_back(map(i, j) * box.whitening[static_cast<std::size_t>(j)]);
    }
  }
  return out;
}

}  // namespace

std::vector<double> class_gaussians(const MomentTotals& moments, const MomentFrame& box) {
  const Eigen::Index d = box.features;
  double rows = 0;
  Matrix within = Matrix::Zero(d, d);
  std::vector<ClassFit> fits;
  for (const MomentTotals::Class& exact : moments.classes) {
    poll();
    fits.push_back(fit_class(exact_moments(&exact, box.features, box.step(0)), d));
    rows += fits.back().rows;
    within += fits.back().rows * fits.back().covariance;
  }
  if (rows == 0) return {};
  within /= rows;
  const double lent = static_cast<double>(d) + 1;
  ClusterFrame frame;
  frame.classes = static_cast<int>(fits.size());
  MixtureFrame& mixture = frame.mixture;
  mixture.frame = box;
  mixture.frame.diagonal = false;
  mixture.frame.classes.clear();
  mixture.hard = true;
  for (const ClassFit& fit : fits) {
    poll();
    const Matrix covariance = (fit.rows * fit.covariance + lent * within) / (fit.rows + lent) +
                              kRidge * Matrix::Identity(d, d);
    const Matrix map = whitening_of(covariance);
    mixture.frame.classes.push_back(placed(box.classes[0], fit.mean, map));
    mixture.log_weight.push_back(
        fit.rows > 0 ? std::log(fit.rows / rows) + map.diagonal().array().log().sum() : kNever);
    mixture.tightness.push_back(fit.rows > 0 ? 1 : 0);
  }
  return Pass{PassKind::class_clusters, mixture.frame, frame.extra()}.pack();
}

std::optional<GaussianModel> GaussianModel::fit(const NoisyMoments& moments,
                                                const MomentFrame& box) {
  if (!(moments.count >= 1)) return std::nullopt;
  const Eigen::Index d = box.features;
  const ClassFit all = fit_class(moments, d);
  GaussianModel model;
  model.mean_ = all.mean;
  const Matrix map = whitening_of(all.covariance + kRidge * Matrix::Identity(d, d));
  model.precision_ = product(map.transpose(), map);
  model.constant_ = map.diagonal().array().log().sum() -
                    static_cast<double>(d) / 2 * std::log(2 * std::numbers::pi);
  for (const double inverse_width : box.classes[0].whitening) {
    model.constant_ += std::log(inverse_width);
  }
  return model;
}

double GaussianModel::mean_log_density(const NoisyMoments& moments) const {
  if (!(moments.count >= 1)) return NAN;
  const Eigen::Index d = mean_.size();
  const Vector mean = Eigen::Map<const Vector>(moments.sums.data(), d) / moments.count;
  const Matrix second = Eigen::Map<const Matrix>(moments.products.data(), d, d) / moments.count;
  const Matrix about =
      second - mean * mean_.transpose() - mean_ * mean.transpose() + mean_ * mean_.transpose();
  return constant_ - precision_.cwiseProduct(about).sum() / 2;
}

}  // namespace dpmix
