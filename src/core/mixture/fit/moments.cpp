#include "core/mixture/fit/moments.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {

MomentFrame box_frame(const std::vector<double>& lower, const std::vector<double>& upper,
                      int classes) {
  MomentFrame frame;
  const std::size_t d = lower.size();
  if (classes * static_cast<double>(d * (d + 1) / 2) > MomentFrame::max_products) {
    refuse_parameter("the mixture is too large",
                     std::to_string(classes) + " components of " + std::to_string(d) +
                         " features need more than 2^20 second moments.",
                     "Name fewer features, or a label with fewer categories.");
  }
  frame.features = static_cast<int>(d);
  frame.diagonal = true;
  frame.lower = lower;
  frame.upper = upper;
  MomentFrame::Class box;
  box.radius = std::sqrt(static_cast<double>(d));
  for (std::size_t i = 0; i < d; ++i) {
    const double centre = lower[i] / 2 + upper[i] / 2;
    const double half_width = std::max(upper[i] - centre, centre - lower[i]);
    if (!(half_width >= 1e-120 && half_width <= 1e120)) {
      refuse_parameter("bounds unfit for a mixture",
                       "Feature " + std::to_string(i + 1) + " has bounds closer than 1e-120 or " +
                           "farther apart than 1e120.",
                       "Ask the owner for bounds of the feature's real range.");
    }
    box.centre.push_back(centre);
    box.whitening.push_back(1 / half_width);
  }
  frame.classes.assign(static_cast<std::size_t>(classes), box);
  frame.check();
  return frame;
}

NoisyMoments exact_moments(const MomentTotals::Class* exact, int features, double step) {
  const auto d = static_cast<std::size_t>(features);
  NoisyMoments out{0, std::vector<double>(d), std::vector<double>(d * d)};
  if (exact == nullptr) return out;
  out.count = static_cast<double>(exact->count);
  std::size_t at = 0;  // in the upper triangle
  for (std::size_t i = 0; i < d; ++i) {
    out.sums[i] = to_double(exact->sums[i]) * step;
    for (std::size_t j = i; j < d; ++j, ++at) {
      out.products[i * d + j] = out.products[j * d + i] =
          to_double(exact->products[at]) * (step * step);
    }
  }
  return out;
}

NoisyMoments add_noise(RandomStream& random, const MomentTotals::Class* exact, int features,
                       const MomentNoise& noise, double step) {
  const auto d = static_cast<std::size_t>(features);
  const auto sampler = [](double deviation) {
    return deviation > 0 ? std::optional<RoundedNormal>(deviation) : std::nullopt;
  };
  const auto sum = sampler(noise.sum), square = sampler(noise.square),
             product = sampler(noise.product);
  const auto released = [&](Int128 value, const RoundedNormal& law, double unit) {
    return to_double(noisy(random, law, value)) * unit;
  };
  NoisyMoments out;
  out.count = released(exact != nullptr ? exact->count : 0, RoundedNormal(noise.count), 1);
  out.products.assign(d * d, 0);
  std::size_t at = 0;  // in the upper triangle
  for (std::size_t i = 0; i < d; ++i) {
    poll();
    out.sums.push_back(released(exact != nullptr ? exact->sums[i] : 0, *sum, step));
    for (std::size_t j = i; j < d; ++j, ++at) {
      const auto& law = i == j ? square : product;
      if (!law) continue;
      out.products[i * d + j] = out.products[j * d + i] =
          released(exact != nullptr ? exact->products[at] : 0, *law, step * step);
    }
  }
  return out;
}

}  // namespace dpmix
