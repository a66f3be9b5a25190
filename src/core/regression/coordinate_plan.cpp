#include "core/regression/coordinate_plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/accounting/decimal.hpp"
#include "core/accounting/losses/loss_composition.hpp"
#include "core/accounting/losses/loss_of_curve.hpp"
#include "core/base/error.hpp"
#include "core/base/next_double.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/noise/sampler.hpp"
#include "core/random/noisy.hpp"

namespace dpmix {
namespace {

constexpr double outward = 1 + 0x1p-40;  // for the roundings between proof and doubles
constexpr double slack_share = .01;      // of delta, beside what Gaussian noise of mu has
constexpr double close = 1.002;          // the least scale is looked for so closely
constexpr int most_components = 20;
// Mixtures of such flat weights are far wider than Gaussian noise.
constexpr double least_weight = .5;

// What all numbers together must keep. Accountants that add up costs take them for Gaussian noise
// of this mu, but for an event of probability slack.
struct Target {
  double epsilon, delta, mu, slack;
  double rows;  // of a unit
  bool guarantee_alone;
};

Target target_of(const RegressionRequest& request) {
  (void)regression_mu(request);  // checks
  Target target;
  target.epsilon = Decimal::printed(request.epsilon).lower_double();
  target.delta = Decimal::printed(request.delta).lower_double();
  target.slack = slack_share * target.delta;
  target.rows = request.rows_per_unit;
  target.mu = gdp_mu(target.epsilon, (1 - slack_share) * target.delta * (1 - 0x1p-40));
  target.guarantee_alone = !request.accounting.counts_cost();
  return target;
}

double grid_step(double mu, double tail) {
  const double range = mu * (std::sqrt(-2 * std::log(tail)) + mu / 2);
  const double step = std::max(std::min({range / 512, mu / 32, 0x1p-7}), range / 65536);
  return std::exp2(std::clamp(std::floor(std::log2(step)), -36., 0.));
}

bool keeps(const Target& target, const NoiseLaw& unit, std::int64_t releases) {
  poll();
  const double tail = 1e-3 * target.slack / static_cast<double>(releases);
  const double step = grid_step(unit.sensitivity / unit.scale, tail);
  const auto bound = [&](double epsilon) { return delta_bound(unit, epsilon); };
  LossComposition all;
  all.add(loss_of_curve(bound, step, tail), releases);
  return target.guarantee_alone ? all.delta(target.epsilon) <= target.delta
                                : all.dominated(target.mu, target.slack);
}

// The mixture of these weights, as wide as it must be. Wider ones show less (multi_gaussian.md,
// quasi_gaussian.md), so there is one least width. None: no width is proved to do.
std::optional<NoiseLaw> least_mixture(const Target& target, Family family, double weight_epsilon,
                                      std::int64_t releases) {
  NoiseLaw unit;
  unit.family = family;
  unit.sensitivity = target.rows;
  unit.weight_epsilon = std::min(weight_epsilon, 700.);
  if (family == Family::multi_gaussian) {
    const double reach = std::ceil(-std::log(target.delta) / weight_epsilon);
    unit.components = static_cast<int>(std::clamp(reach, 1., static_cast<double>(most_components)));
  }
  const auto at = [&](double scale) {  // for a sensitivity of 1
    unit.scale = scale * unit.sensitivity;
    return keeps(target, unit, releases);
  };
  // Gaussian noise of the same mu is about what many numbers need.
  double good = std::sqrt(static_cast<double>(releases)) / target.mu, bad = good / 1.1;
  if (at(good)) {
    while (bad > 1e-3 && at(bad)) {
      good = bad;
      bad /= 1.3;
    }
  } else {
    const double most = 4 * good;
    while (good < most && !at(good)) {
      bad = good;
      good *= 1.1;
    }
    if (!at(good)) return std::nullopt;
  }
  while (good > bad * close) {
    const double middle = std::sqrt(good * bad);
    (at(middle) ? good : bad) = middle;
  }
  unit.scale = good * unit.sensitivity * outward;
  return unit;
}

// The best of few weights: those of a single answer at epsilon, and at an even part of it.
NoiseLaw least_mixture(const Target& target, Family family, std::int64_t releases) {
  std::optional<NoiseLaw> best;
  for (const double parts :
       {1., std::sqrt(static_cast<double>(releases)), static_cast<double>(releases)}) {
    const double weight_epsilon = target.epsilon / parts;
    if (weight_epsilon < least_weight && parts > 1) continue;
    const std::optional<NoiseLaw> law = least_mixture(target, family, weight_epsilon, releases);
    if (law && (!best || variance(*law) < variance(*best))) best = law;
  }
  if (!best) {
    refuse_parameter("no noise of this family is proved to keep the guarantee",
                     "Its privacy loss over so many answers is too small or too large to add up.",
                     "Use mechanism => 'gaussian', or another epsilon.");
  }
  return *best;
}

}  // namespace

void CoordinateSettings::check() const {
  check_parameter(passes >= 1 && passes <= most_passes, "passes", passes, "1 to 100");
  check_parameter(l1 >= 0 && l1 <= 1e6, "l1", l1, "0 to 1e6");
  check_parameter(l2 >= 0 && l2 <= 1e6, "l2", l2, "0 to 1e6");
  if (family == Family::gaussian || family == Family::multi_gaussian ||
      family == Family::quasi_gaussian) {
    return;
  }
  throw Error(ErrorCode::query_not_allowed,
              "coordinate descent has no " + std::string(name(family)) + " noise",
              "It needs many numbers, one after the other, and what they cost together is not "
              "proved for this family.",
              "Use gaussian, multi_gaussian or quasi_gaussian.");
}

double CoordinatePlan::count_stddev() const {
  return exact_moments ? 0 : std::sqrt(variance(unit));
}

Cost cost_of_coordinate(const RegressionRequest& request, Family family) {
  if (family == Family::gaussian) {
    return cost_of_gaussian(request.accounting, regression_mu(request));
  }
  const Target target = target_of(request);
  Cost cost = cost_of_gaussian(request.accounting, target.mu);
  if (!target.guarantee_alone) cost.added_delta += target.slack;
  return cost;
}

CoordinatePlan plan_coordinate(const RegressionRequest& request, int columns,
                               const CoordinateSettings& settings) {
  settings.check();
  CoordinatePlan plan;
  plan.settings = settings;
  plan.columns = columns;
  plan.exact_moments = request.part == ProtectedPart::target;
  plan.twice = !plan.exact_moments && request.adjacency != Adjacency::add_remove;
  plan.releases = plan.updates() + (plan.exact_moments ? 0 : 1 + 2 * columns);
  plan.mu = regression_mu(request);
  plan.own = cost_of_coordinate(request, settings.family);
  if (settings.family == Family::gaussian) {
    const double scale = std::sqrt(static_cast<double>(plan.releases)) / plan.mu * outward;
    plan.unit.sensitivity = request.rows_per_unit;
    plan.unit.scale = scale * plan.unit.sensitivity * outward;
    return plan;
  }
  const Target target = target_of(request);
  plan.mu = target.mu;
  plan.unit = least_mixture(target, settings.family, plan.releases);
  return plan;
}

double noisy_number(RandomStream& random, const CoordinatePlan& plan, Int128 exact,
                    double sensitivity) {
  NoiseLaw law = plan.unit;  // scaled by a power of two: exact
  law.sensitivity *= sensitivity;
  law.scale *= sensitivity;
  return to_double(noisy(random, NoiseSampler(law), exact));
}

}  // namespace dpmix
