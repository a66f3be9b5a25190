#include "core/release/gmm_place.hpp"

#include <algorithm>

namespace dpmix {

void place_component(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                     const MomentFrame& frame, GaussianMixture::Component& out) {
  const auto d = static_cast<std::size_t>(frame.features);
  const MomentFrame::Class& box = frame.classes.front();
  out.mean.resize(d);
  out.covariance.resize(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double x = box.centre[i] + mean[row] / box.whitening[i];
    out.mean[i] = std::clamp(x, frame.lower[i], frame.upper[i]);
    for (std::size_t j = 0; j <= i; ++j) {
      const double value =
          covariance(row, static_cast<Eigen::Index>(j)) / box.whitening[i] / box.whitening[j];
      out.covariance[i * d + j] = out.covariance[j * d + i] = value;
    }
  }
}

}  // namespace dpmix
