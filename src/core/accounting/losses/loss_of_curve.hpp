// The privacy-loss distribution of any mechanism with a certified privacy curve: bounds
// delta(epsilon) >= sup_S P(S) - e^epsilon Q(S) over all neighbours, in both directions. A convex
// curve above them belongs to a pair of laws that dominates every pair of neighbours, also under
// composition (Zhu, Dong, Wang 2022), whatever shift is the worst where.
// Proof, with the roundings: docs/proofs/loss_distribution.md.
#pragma once

#include <functional>
#include <vector>

#include "core/accounting/losses/loss_distribution.hpp"

namespace dpmix {

struct CurvePoint {
  std::int64_t index = 0;  // epsilon is index steps
  double delta = 1;        // a proved bound there
};

// The distribution of a curve with bounds at a few grid points, the first at 0, indices increasing
// to at most 2^22 and 512 / step. Losses beyond the last count as infinite, with its delta. Else,
// or for a delta outside of 0..1, Error PV005.
LossDistribution loss_of_curve(std::vector<CurvePoint> points, double step);

// The same, where delta_bound(epsilon) is looked at as closely as the grid allows and two in ten
// thousand need, up to where it is at most `tail`. Any such choice is valid.
LossDistribution loss_of_curve(const std::function<double(double)>& delta_bound, double step,
                               double tail);

// Dominates, in both orders, all pairs of laws that have in neither order a larger delta(epsilon)
// at any epsilon >= 0 than `one`, the distribution of one direction, has.
LossDistribution loss_of_both_orders(const LossDistribution& one);

}  // namespace dpmix
