// The range of the draws of a query's quantiles, and their price, from public numbers alone.
//
// Enters: the guarantee asked for the whole call, the table's filter, and how far neighbours move
// the scores of each draw. Leaves: one range for all draws, and what they guarantee and cost
// together.
// The rule, as of noise (auto_choice.hpp): with delta = 0 ranges add up to epsilon. With a delta
// they may also be together no more telling than Gaussian noise of (epsilon, delta), whichever is
// more; but where the accountant counts costs, the draws cost no more than that noise, unless the
// caller asks for accuracy.
// Beside statistics with noise, draws share what is asked with them: mu^2, where a delta is asked
// and the accountant counts costs (then that noise is Gaussian), else epsilon.
// Guaranteed: all draws of all groups are (plan.epsilon, plan.delta)-DP, with plan.own where
// has_own. Proof: docs/proofs/query_quantile_draws.md.
#pragma once

#include <span>

#include "core/accounting/filter.hpp"
#include "core/query/quantile_draw.hpp"
#include "core/query/search_plan.hpp"

namespace dpmix {

struct DrawPlan {
  QueryPlan plan;
  double range;  // of each draw
};
struct SharedPlan {
  QueryRequest noise;  // what is asked of the statistics with noise
  double range;
};
// Error PV005: epsilon or delta out of range.
DrawPlan plan_draws(const QueryRequest& request, const Filter& filter,
                    std::span<const DrawShift> draws);
// The same beside statistics of which neighbours move at most `squares` in all (joint_shift.hpp),
// under a request without a family.
SharedPlan plan_draws_beside(const QueryRequest& request, const Filter& filter,
                             std::span<const DrawShift> draws, double squares);
// The plan of both: the planned noise that plan_draws_beside() left, and draws of its range.
QueryPlan with_draws(const QueryRequest& request, const QueryPlan& noise, const Accounting& table,
                     std::span<const DrawShift> draws, double range);
// What draws of that range are charged to another table.
QueryPlan price_draws(const QueryRequest& request, const Accounting& table,
                      std::span<const DrawShift> draws, double range);

}  // namespace dpmix
