#include "core/release/gmm_clip.hpp"

#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace dpmix {

namespace {

double inside(double d, double r) {  // P(chi_d <= r)
  return boost::math::gamma_p(d / 2, r * r / 2);
}

}  // namespace

double clipped_variance(int d, double r) {
  return inside(d + 2, r) + r * r * (1 - inside(d, r)) / d;
}

double clipped_slope(int d, double r) {
  // The derivative of the clip has trace d inside, (d - 1) r / |z| outside.
  if (d == 1) return inside(1, r);
  const double outside =
      boost::math::tgamma((d - 1) / 2., r * r / 2) / (std::sqrt(2.) * boost::math::tgamma(d / 2.));
  return inside(d, r) + r * outside * (d - 1) / d;
}

double radius_of(int d, double share) {
  return std::sqrt(2 * boost::math::gamma_p_inv(d / 2., share));
}

MomentWeights moment_weights(int d, double r) {
  // Expected KL = sum_i A_i (sigma / weight_i n)^2; minimised under sum_i weight_i^2 B_i = 1.
  const std::array a = {.5 + d / 4., d / 2., d * (d + 1) / 8.};
  const std::array b = {1., r * r, r * r * r * r};
  double total = 0, root = 0;
  std::array<double, 3> share{};
  for (std::size_t i = 0; i < 3; ++i) {
    share[i] = std::sqrt(a[i] / b[i]);
    total += share[i] * b[i];
    root += std::sqrt(a[i] * b[i]);
  }
  return {std::sqrt(share[0] / total), std::sqrt(share[1] / total), std::sqrt(share[2] / total),
          root * root};
}

double best_radius(int d, double relative_noise) {
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (const double share : {.5, .7, .8, .9, .95, .98, .99, .995, .999, .9999, .99999}) {
    const double r = radius_of(d, share), hidden = 1 - clipped_variance(d, r);
    // Half of the bias is taken out again where the class is normal.
    const double cost =
        moment_weights(d, r).cost * relative_noise * relative_noise + d * hidden * hidden / 8;
    if (cost < least) least = cost, best = r;
  }
  return best;
}

}  // namespace dpmix
