#include "core/accounting/many_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "core/accounting/gdp_profile.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

// Gaussian noise whose declared guarantees add up to (epsilon, delta) is together that of one mu.
double most_by_guarantees(double epsilon, double delta) {
  const double mu = gdp_mu(epsilon, delta);
  return mu * mu * (1 + 1e-8);
}

// What mu^2 of a block's charges may come to, by either arm of its filter.
double most_mu_squared(const BlockBudget& budget) {
  const auto [accountant, order] = budget.accounting;
  if (accountant == Accountant::basic) return most_by_guarantees(budget.epsilon, budget.delta);
  const double parts = parts_of_delta(accountant);
  const double most = budget.delta * (parts - 2) / parts;
  const double by_cost = budget.accounting.counts_mu_squared()
                             ? gdp_of_budget(budget.epsilon, most)
                             : 2 * renyi_of_budget(order, budget.epsilon, most) / order;
  return std::max(by_cost * (1 + 1e-8), most_by_guarantees(budget.epsilon, budget.delta / parts));
}

}  // namespace

double epsilon_of_many_blocks(const BlockBudget& budget, int blocks, int together) {
  check_parameter(together >= 1 && together <= blocks, "blocks read together", together,
                  "1 to all of them");
  return epsilon_of_gdp(most_mu_squared(budget) * blocks * together, budget.delta);
}

ManyBlocks sum_of_blocks(const BlockBudget& budget, int blocks) {
  return {budget.epsilon * blocks, budget.delta * blocks};
}

ManyBlocks group_of_blocks(const BlockBudget& budget, int blocks) {
  const double epsilon = budget.epsilon * blocks;
  return {epsilon, budget.delta * std::expm1(epsilon) / std::expm1(budget.epsilon)};
}

}  // namespace dpmix
