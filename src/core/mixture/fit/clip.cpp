#include "core/mixture/fit/clip.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace dpmix {

namespace {

constexpr double kMiddlingShare = .95;  // of a class lies within the radius

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

MomentWeights moment_weights(int d, double r, bool diagonal) {
  // Expected KL = sum_i A_i (sigma / n)^2 / w_i with w_i = weight_i^2; minimised under
  // sum_i w_i B_i = 1, B = (1, r^2, r^4), but for w_0, which is the best one at a middling radius.
  const std::array a = {.5 + d / 4., d / 2., diagonal ? d / 4. : d * (d + 1) / 8.};
  const auto root = [&](double radius) {  // of A_1 B_1, plus of A_2 B_2
    return std::sqrt(a[1]) * radius + std::sqrt(a[2]) * radius * radius;
  };
  const double count = std::sqrt(a[0]) / (std::sqrt(a[0]) + root(radius_of(d, kMiddlingShare)));
  const double scale = (1 - count) / root(r);
  return {std::sqrt(count), std::sqrt(scale * std::sqrt(a[1]) / r),
          std::sqrt(scale * std::sqrt(a[2])) / r, a[0] / count + root(r) / scale};
}

Clip clip_at(int d, double radius, bool diagonal) {
  return {radius, clipped_slope(d, radius), clipped_variance(d, radius),
          moment_weights(d, radius, diagonal)};
}

std::vector<Clip> clips(int d, bool diagonal) {
  std::vector<Clip> all;
  for (const double share : {.5, .7, .8, .9, .95, .98, .99, .995, .999, .9999, .99999}) {
    all.push_back(clip_at(d, radius_of(d, share), diagonal));
  }
  return all;
}

const Clip& best_clip(std::span<const Clip> clips, int d, double relative_noise) {
  const auto cost = [&](const Clip& clip) {
    // Half of the bias is taken out again where the class is normal.
    const double hidden = 1 - clip.kept;
    return clip.weights.cost * relative_noise * relative_noise + d * hidden * hidden / 8;
  };
  return *std::min_element(clips.begin(), clips.end(), [&](const Clip& one, const Clip& other) {
    return cost(one) < cost(other);
  });
}

double best_radius(int d, double relative_noise, bool diagonal) {
  return best_clip(std::vector<Clip>(clips(d, diagonal)), d, relative_noise).radius;
}

}  // namespace dpmix
