// The plans of the independent accountant, composed here.
#pragma once

#include "core/accounting/losses/loss_composition.hpp"
#include "core/accounting/losses/loss_of_noise.hpp"
#include "unit/accounting/accountant_totals.hpp"

namespace dpmix::test {

inline LossDistribution loss_of(const PlanPart& part, double step) {
  constexpr double kTail = 1e-22;
  switch (part.kind) {
    case PartKind::gaussian:
      return loss_of_noise({.family = Family::gaussian, .scale = 1 / part.first}, step, kTail);
    case PartKind::laplace:  // continuous: the finest lattice there is
      return loss_of_geometric(part.first, 0x1p53, step);
    case PartKind::with_record:
    case PartKind::without_record:
      return loss_of_subsampled_gaussian(
          part.first, part.second,
          part.kind == PartKind::with_record ? Direction::with_record : Direction::without_record,
          step, kTail);
    case PartKind::multi_gaussian:
    case PartKind::quasi_gaussian:
      return loss_of_noise(
          {.family = part.kind == PartKind::multi_gaussian ? Family::multi_gaussian
                                                           : Family::quasi_gaussian,
           .scale = part.first,
           .components = part.components,
           .weight_epsilon = part.second},
          step, kTail);
  }
  return {};
}

inline LossComposition composed(const Plan& plan) {
  LossComposition composition;
  for (const PlanPart& part : plan.parts) {
    if (part.times > 0) composition.add(loss_of(part, plan.step), part.times);
  }
  return composition;
}

}  // namespace dpmix::test
