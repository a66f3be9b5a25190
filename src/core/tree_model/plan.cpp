#include "core/tree_model/plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/accounting/decimal.hpp"
#include "core/accounting/gdp_profile.hpp"
#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

constexpr int kMostLevels = 3;  // of a tree over the fine cells of a column

// Shares of mu^2, chosen by trials on census and wage tables (docs/decisions/tree_model.md). What a
// release does not use goes to the others in proportion.
struct Shares {
  double fine = .06, zoom = .04, single = .14, draws = .06, edges = .42, chords = .38;
};

// The least deviation that n tables, each shifted by `shift`, can have at this share of mu^2.
double deviation(double n, double shift, double mu_squared) {
  return n == 0 ? 0 : next_up(shift * std::sqrt(n / mu_squared) * (1 + 0x1p-40));
}

double mu_of(const TreeRequest& request) {
  check_epsilon_delta(request.epsilon, request.delta);
  check_parameter(request.delta >= kLeastDelta, "delta", request.delta, "at least 1e-300");
  return gdp_mu(Decimal::printed(request.epsilon).lower_double(),
                Decimal::printed(request.delta).lower_double());
}

enum class Pairs { measured, none };

TreePlan made(const TreeRequest& request, double mu, Pairs pairs) {
  check_parameter(request.columns >= 1, "columns", request.columns, "at least 1");
  check_parameter(request.rows_per_unit >= 1, "rows", request.rows_per_unit, "at least 1");
  check_parameter(request.binned >= 0 && request.binned <= request.columns, "binned",
                  request.binned, "at most the number of columns");
  check_parameter(
      request.fine_levels >= request.binned && request.fine_levels <= kMostLevels * request.binned,
      "levels", request.fine_levels, "one to three of each binned column");
  TreePlan plan = {};
  plan.columns = request.columns;
  plan.binned = request.binned;
  plan.fine_levels = request.fine_levels;
  plan.mu = mu;
  const bool measured_pairs = pairs == Pairs::measured;
  plan.edges = measured_pairs ? request.columns - 1 : 0;
  plan.chords = !measured_pairs || request.columns < 3 ? 0 : request.columns / 2;
  const int draws = plan.edges + plan.chords;
  Shares share;
  if (request.binned == 0) share.fine = share.zoom = 0;
  if (plan.chords == 0) share.chords = 0;
  if (plan.edges == 0) share.draws = share.edges = 0;
  const double all =
      share.fine + share.zoom + share.single + share.draws + share.edges + share.chords;
  const double unit = plan.mu * plan.mu * (1 - 0x1p-40) / all;  // of mu^2 for a share of 1

  // A unit moves one cell of each table by its rows; where it is replaced, two.
  const double rows = request.rows_per_unit;
  const bool two = request.adjacency != Adjacency::add_remove;
  const double shift = rows * (two ? std::sqrt(2.) * (1 + 0x1p-52) : 1);
  plan.fine_stddev = deviation(request.fine_levels, shift, unit * share.fine);
  plan.zoom_stddev = deviation(request.binned, shift, unit * share.zoom);
  plan.single_stddev = deviation(request.columns, shift, unit * share.single);
  plan.edge_stddev = deviation(plan.edges, shift, unit * share.edges);
  plan.chord_stddev = deviation(plan.chords, shift, unit * share.chords);
  const auto in_place_of = [&](double shares) {  // no more than what had them, in any account
    return shares == 0 ? 0 : deviation(request.columns, shift, unit * shares) * (1 + 0x1p-38);
  };
  plan.for_chords_stddev = in_place_of(share.chords);
  plan.for_pairs_stddev = in_place_of(share.edges + share.chords);

  const Accounting& accounts = request.accounting;
  double measured = 0;  // mu^2 of all tables
  const auto add = [&](double n, double stddev) {
    if (n > 0)
      measured = next_up(measured + n * (shift / stddev) * (shift / stddev) * (1 + 0x1p-50));
  };
  add(request.fine_levels, plan.fine_stddev);
  add(request.binned, plan.zoom_stddev);
  add(request.columns, plan.single_stddev);
  add(plan.edges, plan.edge_stddev);
  add(plan.chords, plan.chord_stddev);
  plan.own = cost_of_gaussian(accounts, next_up(std::sqrt(measured)));
  if (draws > 0) {
    const double range = bounded_range_of_gdp(std::sqrt(unit * share.draws / draws));
    // A score moves by the unit's rows, by twice that where it is replaced.
    const auto move = static_cast<std::uint64_t>(request.rows_per_unit) * (two ? 2 : 1);
    plan.draw_rate = {range, 1, 2 * move};
    const Cost one = cost_of_bounded_range(accounts, range);
    for (int i = 0; i < draws; ++i) plan.own = plan.own + one;
  }
  return plan;
}

}  // namespace

TreePlan plan_tree(const TreeRequest& request) {
  return made(request, mu_of(request), Pairs::measured);
}

TreePlan plan_columns(const TreeRequest& request, double mu) {
  check_parameter(mu > 0 && mu <= mu_of(request), "mu", mu, "at most that of epsilon and delta");
  return made(request, mu, Pairs::none);
}

}  // namespace dpmix
