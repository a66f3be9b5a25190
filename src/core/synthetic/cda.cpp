#include "core/synthetic/cda.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/accounting/decimal.hpp"
#include "core/base/next_double.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/random/geometric.hpp"
#include "core/random/noisy.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t most_rows = 1'000'000'000;

void check(const CdaRequest& r) {
  if (r.rows < 1 || r.rows > most_rows) {
    refuse_parameter("number of synthetic rows out of range",
                     "rows is " + std::to_string(r.rows) + "; it must lie between 1 and " +
                         std::to_string(most_rows) + ".",
                     "Ask for a number of rows like that of the table.");
  }
  if (r.rows < r.classes && r.class_rows == ClassRows::balanced) {
    refuse_parameter("fewer synthetic rows than classes",
                     "rows is " + std::to_string(r.rows) + "; the label has " +
                         std::to_string(r.classes) + " declared categories.",
                     "Ask for at least one row per category, or for class_rows => 'proportional'.");
  }
  if (r.mix < 0 || r.mix > most_mixed) {
    refuse_parameter("order of mixing out of range",
                     "mix is " + std::to_string(r.mix) + "; it must lie between 1 and " +
                         std::to_string(most_mixed) + ".",
                     "Leave mix out to have it chosen.");
  }
  check_epsilon_delta(r.epsilon, r.delta);
  if (!(r.delta > 0)) {
    refuse_parameter("synthetic rows need a delta above 0", "delta is 0.",
                     "Pass a delta well below one over the number of rows, such as 1e-6.");
  }
}

bool within_one_class(const CdaRequest& request) {
  return request.adjacency == Adjacency::replace && request.classes == 1;
}

// Classes whose counts a neighbour changes.
int changed_classes(const CdaRequest& request) {
  return request.adjacency == Adjacency::add_remove || within_one_class(request) ? 1 : 2;
}

// A 36th of mu^2 buys counts good to about 8.5/mu records, and costs the rows 1.4% of noise.
constexpr double count_share = 1. / 36;

// The share of delta within which rows may reveal more than Gaussian noise does: without any, its
// far tail would have to be met. A 16th (exact) leaves most of a table's share of added delta.
constexpr double slack_share = 1. / 16;

double count_rate(double epsilon, double mu, int changed) {
  return std::min(mu * std::sqrt(count_share / changed), epsilon / (8 * changed));
}

// What counts and rows together are at epsilon: the loss of each count that changed is one of
// +-rate, and rows add that of Gaussian noise, but for the slack. Rounded up.
struct Joint {
  double epsilon, slack, rate;
  int changed;

  double rows(double loss, double mu) const {
    return slack + gdp_delta(next_down(epsilon - next_up(loss)), mu) * (1 + 0x1p-50);
  }
  double delta(double mu) const {
    if (slack < 1e-290) return rows(changed * rate, mu);  // weights of it would underflow
    const double more = 1 / (1 + std::exp(-rate)), less = 1 / (1 + std::exp(rate));
    const double sum = changed == 1
                           ? more * rows(rate, mu) + less * rows(-rate, mu)
                           : more * more * rows(2 * rate, mu) + 2 * more * less * rows(0, mu) +
                                 less * less * rows(-2 * rate, mu);
    return sum * (1 + 0x1p-46);
  }
};

// The largest mu up to 1e-9 with which that is within delta; at most `high`.
double joint_mu(const Joint& joint, double delta, double high) {
  double low = high;
  while (joint.delta(low) > delta) {
    high = low;
    low *= .9;
    poll();
  }
  while (high - low > 1e-9 * low) {
    const double middle = low + (high - low) / 2;
    (joint.delta(middle) <= delta ? low : high) = middle;
    poll();
  }
  return low;
}

}  // namespace

std::optional<Demix> demix_of(std::string_view name) {
  if (name == "none") return Demix::none;
  if (name == "per_class") return Demix::per_class;
  if (name == "tied") return Demix::tied;
  return std::nullopt;
}

std::optional<ClassRows> class_rows_of(std::string_view name) {
  if (name == "balanced") return ClassRows::balanced;
  if (name == "proportional") return ClassRows::proportional;
  return std::nullopt;
}

CdaPlan plan_cda(const CdaRequest& request) {
  check(request);
  CdaPlan plan{};
  plan.asked = request;
  const double epsilon = Decimal::printed(request.epsilon).lower_double();
  const double delta = Decimal::printed(request.delta).lower_double();
  const int changed = changed_classes(request);
  const double whole = gdp_mu(epsilon, delta);
  plan.count_rate = count_rate(epsilon, whole, changed);
  plan.count_epsilon = changed * plan.count_rate;
  const Joint joint = {epsilon, delta * slack_share, plan.count_rate, changed};
  plan.mu = joint_mu(joint, delta, whole);
  plan.rows = {request.adjacency, plan.mu, joint.slack, std::nullopt, within_one_class(request)};
  if (request.accounting.counts_cost()) {
    plan.own = cost_of_gaussian(request.accounting, plan.mu) + Cost{0, joint.slack};
    const Cost count = cost_of_geometric(request.accounting, plan.count_rate);
    for (int k = 0; k < changed; ++k) plan.own = plan.own + count;
  } else if (changed == 1) {
    // Only epsilon and delta are added up, so rows may do worse elsewhere.
    plan.rows.only = {
        {{next_down(epsilon - plan.count_rate), joint.rows(plan.count_rate, plan.mu)},
         {next_down(epsilon + plan.count_rate), joint.rows(-plan.count_rate, plan.mu)}}};
  }
  return plan;
}

double count_stddev(const CdaPlan& plan) {
  return 1 / (std::sqrt(2.) * std::sinh(plan.count_rate / 2));
}

std::int64_t noisy_class_count(RandomStream& random, const CdaPlan& plan, std::int64_t count) {
  const Int128 shown = noisy(random, TwoSidedGeometric({plan.count_rate}), count);
  constexpr Int128 most = std::int64_t{1} << 53;
  return static_cast<std::int64_t>(std::clamp(shown, Int128{0}, most));
}

}  // namespace dpmix
