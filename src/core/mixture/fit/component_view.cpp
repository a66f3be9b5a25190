#include "core/mixture/fit/component_view.hpp"

#include <cmath>

#include "core/algebra/cholesky.hpp"
#include "core/mixture/fit/place.hpp"

namespace dpmix {

MixtureFrame component_view(const GaussianMixture& mixture, const MomentFrame& box, bool diagonal) {
  MixtureFrame out;
  out.frame = box;
  out.frame.diagonal = diagonal;
  out.frame.classes.clear();
  const Eigen::Index d = mixture.features;
  for (const GaussianMixture::Component& c : mixture.components) {
    const Eigen::Map<const Matrix> covariance(c.covariance.data(), d, d);
    Matrix map = Matrix::Identity(d, d);
    if (diagonal) {
      map.diagonal() = covariance.diagonal().cwiseSqrt().cwiseInverse();
    } else {
      map = inverse_of_lower(cholesky(covariance).value());
    }
    MomentFrame::Class view =
        class_at(box, Eigen::Map<const Vector>(c.mean.data(), d), map, diagonal);
    // The radius reaches the farthest corner of the box, as seen from the component.
    view.radius = 2 * map.cwiseAbs().rowwise().sum().norm();
    out.frame.classes.push_back(std::move(view));
    out.log_weight.push_back(std::log(c.weight) + map.diagonal().array().log().sum());
    out.tightness.push_back(1);
  }
  return out;
}

}  // namespace dpmix
