#include "core/query/bounded_units.hpp"

#include <cmath>

namespace dpmix {
namespace {

constexpr double kShare = 0.01;                           // of mu^2
constexpr double kUp = 1 + 0x1p-48, kDown = 1 - 0x1p-48;  // more than the roundings of a few terms

}  // namespace

double mu_beside_bounded(double mu, int lists) {
  return lists == 0 ? mu : mu * std::sqrt(1 - kShare) * kDown;
}

NoiseLaw bounded_law(double mu, int lists) {
  const double moved = std::sqrt(static_cast<double>(lists)) * kUp;
  return {.family = Family::gaussian,
          .sensitivity = moved,
          .scale = moved / (mu * std::sqrt(kShare)) * kUp};
}

}  // namespace dpmix
