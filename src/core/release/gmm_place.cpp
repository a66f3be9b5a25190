#include "core/release/gmm_place.hpp"

#include <algorithm>

namespace dpmix {

void place_component(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                     const MomentFrame& box, GaussianMixture::Component& out) {
  const auto d = static_cast<std::size_t>(box.features);
  const MomentFrame::Class& unit = box.classes.front();
  out.mean.resize(d);
  out.covariance.resize(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double x = unit.centre[i] + mean[row] / unit.whitening[i];
    out.mean[i] = std::clamp(x, box.lower[i], box.upper[i]);
    for (std::size_t j = 0; j <= i; ++j) {
      const double value =
          covariance(row, static_cast<Eigen::Index>(j)) / unit.whitening[i] / unit.whitening[j];
      out.covariance[i * d + j] = out.covariance[j * d + i] = value;
    }
  }
}

MomentFrame::Class class_at(const MomentFrame& box, const Eigen::VectorXd& centre,
                            const Eigen::MatrixXd& map, bool diagonal) {
  const MomentFrame::Class& unit = box.classes.front();
  MomentFrame::Class out;
  const Eigen::Index d = centre.size();
  for (Eigen::Index i = 0; i < d; ++i) {
    const auto n = static_cast<std::size_t>(i);
    out.centre.push_back(
        std::clamp(unit.centre[n] + centre[i] / unit.whitening[n], box.lower[n], box.upper[n]));
    for (Eigen::Index j = diagonal ? i : 0; j < (diagonal ? i + 1 : d); ++j) {
      out.whitening.push_back(map(i, j) * unit.whitening[static_cast<std::size_t>(j)]);
    }
  }
  return out;
}

}  // namespace dpmix
