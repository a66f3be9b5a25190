#include "core/copula/plan.hpp"

#include <cmath>

#include "core/base/index.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/stats/code_scores.hpp"

namespace dpmix {
namespace {

// The share of mu^2 that goes to the columns, chosen by trials (docs/decisions/synthetic.md).
constexpr double columns_share = .6;

}  // namespace

CopulaPlan plan_copula(const TreeRequest& request, int classes) {
  CopulaPlan plan = {};
  plan.mu = plan_tree(request).mu;  // refuses what no release takes
  plan.columns = plan_columns(request, plan.mu * std::sqrt(columns_share));
  GmmRequest& scores = plan.scores;
  scores.lower.assign(index(request.columns), -CodeScores::most);
  scores.upper.assign(index(request.columns), CodeScores::most);
  scores.classes = classes;
  scores.shape = std::nullopt;
  // The scores of a row depend on its label too: where one changes, so may all of the row.
  scores.adjacency =
      request.adjacency == Adjacency::add_remove ? Adjacency::add_remove : Adjacency::replace;
  scores.mu = plan.mu * std::sqrt((1 - columns_share) * (1 - 0x1p-40));
  scores.method = GmmMethod::staged;
  (void)start_gmm(scores);
  plan.own = cost_of_gaussian(request.accounting, plan.mu);
  return plan;
}

}  // namespace dpmix
