#include "core/accounting/losses/plan_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/accounting/losses/loss_of_noise.hpp"
#include "core/base/next_double.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr double kLargestLoss = 64;  // beyond, sums of epsilon say as much

// The step of the grid: fine beside the smallest epsilon, as far as the range of the total allows.
double grid_step(std::span<const PlanPart> plan) {
  double least = kLargestLoss, squares = 0, sum = 0;
  for (const PlanPart& part : plan) {
    const double times = static_cast<double>(part.times);
    least = std::min(least, part.epsilon);
    squares += times * part.epsilon * part.epsilon;
    sum += times * part.epsilon;
  }
  const double range = std::min(sum, 20 * std::sqrt(squares) + squares);
  const double step = std::max(least / 64, range / 0x1p18);
  return std::exp2(std::clamp(std::floor(std::log2(step)), -36., 0.));
}

// The sums of epsilon and of delta, which every composition keeps.
double basic_epsilon(std::span<const PlanPart> plan, double delta) {
  long double epsilons = 0, deltas = 0;
  for (const PlanPart& part : plan) {
    epsilons += static_cast<long double>(part.times) * part.epsilon;
    deltas += static_cast<long double>(part.times) * part.delta;
  }
  return static_cast<double>(deltas) <= delta ? next_up(static_cast<double>(epsilons))
                                              : std::numeric_limits<double>::infinity();
}

}  // namespace

double plan_epsilon(std::span<const PlanPart> plan, double delta) {
  const double basic = basic_epsilon(plan, delta);
  double releases = 0;
  bool counts = true;
  for (const PlanPart& part : plan) {
    releases += static_cast<double>(part.times);
    counts = counts && part.epsilon <= kLargestLoss;
  }
  if (!counts) return basic;
  const double step = grid_step(plan), tail = std::max(1e-4 * delta / releases, 1e-300);
  LossComposition all;
  for (const PlanPart& part : plan) {
    poll();
    all.add(part.law ? loss_of_noise(*part.law, step, tail)
                     : loss_of_guarantee(part.epsilon, part.delta, step),
            part.times);
  }
  return std::min(basic, all.epsilon(delta));
}

}  // namespace dpmix
