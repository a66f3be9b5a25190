#include "core/accounting/losses/loss_of_noise.hpp"

#include "core/accounting/losses/loss_of_curve.hpp"
#include "core/base/next_double.hpp"
#include "core/noise/privacy_curve.hpp"

namespace dpmix {

LossDistribution loss_of_noise(const NoiseLaw& law, double step, double tail) {
  // Bounds of many releases are still within .2% of the truth together.
  constexpr double spare = 5e-5;
  check_law(law);
  switch (law.family) {
    case Family::gaussian:
      return loss_of_subsampled_gaussian(1, next_up(law.sensitivity / law.scale),
                                         Direction::with_record, step, tail);
    case Family::laplace:
      return loss_of_geometric(next_up(law.sensitivity / law.scale), law.sensitivity, step);
    default:
      return loss_of_curve([&](double epsilon) { return delta_bound(law, epsilon, spare); }, step,
                           tail);
  }
}

}  // namespace dpmix
