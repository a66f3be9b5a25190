#include "core/release/component_view.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace dpmix {

MixtureFrame component_view(const GaussianMixture& mixture, const MomentFrame& box, bool diagonal) {
  using Matrix = Eigen::MatrixXd;
  MixtureFrame out;
  out.frame = box;
  out.frame.diagonal = diagonal;
  out.frame.classes.clear();
  const Eigen::Index d = mixture.features;
  const MomentFrame::Class& whole = box.classes.front();
  for (const GaussianMixture::Component& c : mixture.components) {
    const Eigen::Map<const Matrix> covariance(c.covariance.data(), d, d);
    Matrix map = Matrix::Identity(d, d);
    if (diagonal) {
      map.diagonal() = covariance.diagonal().cwiseSqrt().cwiseInverse();
    } else {
      Eigen::LLT<Matrix>(covariance).matrixL().solveInPlace(map);
    }
    MomentFrame::Class view;
    double reach = 0;  // squared: the farthest corner of the box, as seen from here
    for (Eigen::Index i = 0; i < d; ++i) {
      const auto at = static_cast<std::size_t>(i);
      view.centre.push_back(std::clamp(whole.centre[at] + c.mean[at] / whole.whitening[at],
                                       box.lower[at], box.upper[at]));
      double most = 0;
      for (Eigen::Index j = diagonal ? i : 0; j < (diagonal ? i + 1 : d); ++j) {
        view.whitening.push_back(map(i, j) * whole.whitening[static_cast<std::size_t>(j)]);
        most += std::abs(map(i, j)) * 2;
      }
      reach += most * most;
    }
    view.radius = std::sqrt(reach);
    out.frame.classes.push_back(std::move(view));
    out.log_weight.push_back(std::log(c.weight) + map.diagonal().array().log().sum());
    out.tightness.push_back(1);
  }
  return out;
}

}  // namespace dpmix
