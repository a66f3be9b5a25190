// The privacy-loss distribution of the noise of any family, over all shifts up to the sensitivity
// and in both directions: docs/proofs/loss_distribution.md, "Noise". Nothing is charged by it.
#pragma once

#include "core/accounting/losses/loss_distribution.hpp"
#include "core/accounting/losses/loss_of_curve.hpp"
#include "core/base/next_double.hpp"
#include "core/noise/law.hpp"
#include "core/noise/privacy_curve.hpp"

namespace dpmix {

// `laplace` is the geometric noise of NoiseSampler: its sensitivity is a number of lattice steps,
// an integer 1..2^53. gaussian: sensitivity / scale at most 64. Losses of probability below `tail`
// may be counted as infinite. Else Error PV005.
inline LossDistribution loss_of_noise(const NoiseLaw& law, double step, double tail) {
  constexpr double spare =
      5e-5;  // bounds of many releases are still within .2% of the truth together
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
