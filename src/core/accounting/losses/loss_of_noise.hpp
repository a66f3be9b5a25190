// The privacy-loss distribution of the noise of any family, over all shifts up to the sensitivity
// and in both directions: docs/proofs/loss_distribution.md, "Noise". Nothing is charged by it.
#pragma once

#include "core/accounting/losses/loss_distribution.hpp"
#include "core/noise/law.hpp"

namespace dpmix {

// `laplace` is the geometric noise of NoiseSampler: its sensitivity is a number of lattice steps,
// an integer 1..2^53. gaussian: sensitivity / scale at most 64. Losses of probability below `tail`
// may be counted as infinite. Else Error PV005.
LossDistribution loss_of_noise(const NoiseLaw& law, double step, double tail);

}  // namespace dpmix
