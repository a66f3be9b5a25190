#include "core/query/family_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/base/last_answers.hpp"
#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/query/bounded_units.hpp"
#include "core/query/box_noise.hpp"
#include "core/query/shared_noise.hpp"

namespace dpmix {
namespace {

// What noise can be made for, in lattice steps: a step law is one of integers that are doubles;
// geometric noise has rates of at least 2^-80, normal noise deviations of at most 2^90, whatever
// epsilon and delta are.
double most_steps(Family family) {
  switch (family) {
    case Family::gaussian:
      return 0x1p56;
    case Family::laplace:
      return 0x1p60;
    case Family::multi_gaussian:
    case Family::quasi_gaussian:
      return 0x1p54;
    default:
      return 0x1p53;
  }
}
// Covers the handful of roundings in a Gaussian scale, so that it is never too small.
constexpr double kRoundUp = 1 + 0x1p-48;

// How many parts of epsilon there are among statistics, of which so many have one part together.
std::int64_t pure_parts(const Problem& problem, int together) {
  return problem.statistics() - std::max(together - 1, 0);
}
int together_of(const Problem& problem, Family family) {
  return family == Family::laplace ? statistics_in_box(problem) : 0;
}

// What the law of one statistic is calibrated to, and into how many such parts the guarantee of
// the call is divided. laplace is calibrated to the L1 norm over cells, so only the statistics
// share, and the pieces of each share again for the staircase; elsewhere every cell that changes
// has a share of its own.
struct Share {
  std::int64_t parts;
  double epsilon, delta;
};
Share share_of(const Problem& problem, Family family, int together, const StatisticShift& shift) {
  std::int64_t parts = 1;
  if (family == Family::laplace) {
    parts = pure_parts(problem, together);
  } else if (family == Family::staircase) {
    parts = std::int64_t{problem.statistics()} * shift.pieces;
  } else if (family != Family::gaussian) {
    parts = problem.changed_cells();
  }
  return {parts, share(problem.epsilon, parts), is_pure(family) ? 0 : share(problem.delta, parts)};
}

// The statistic whose shares are the smallest.
Share smallest_share(const Problem& problem, Family family) {
  return share_of(
      problem, family, together_of(problem, family),
      *std::ranges::max_element(problem.shifts, {}, [](const auto& s) { return s.pieces; }));
}

// What a law is calibrated to. A pure guarantee adds up along a path of changes, so that a piece
// will do for the staircase (docs/proofs/query.md).
double sensitivity_of(Family family, const StatisticShift& shift) {
  if (family == Family::gaussian) return shift.l2;
  if (family == Family::laplace) return shift.l1;
  // Whole as long as l1 is not rounded; above, rounding up keeps it large enough.
  return family == Family::staircase ? std::ceil(shift.l1 / shift.pieces) : shift.each;
}

// The share that the cells of one statistic have, where all cells that change share a whole
// equally.
double share_of_cells(const Problem& problem, double whole, const StatisticShift& shift) {
  const std::int64_t parts = problem.changed_cells();
  return parts % shift.groups == 0 ? share(whole, parts / shift.groups)
                                   : next_down(share(whole, parts) * shift.groups);
}

// The least epsilon, rounded up, at which mu-GDP gives delta; at most `most`, which is known to.
double search_epsilon(double mu, double delta, double most) {
  if (gdp_delta(0, mu) <= delta) return 0;
  double low = 0, high = most;
  for (int i = 0; i < 60 && high - low > 1e-12 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (gdp_delta(middle, mu) <= delta ? high : low) = middle;
  }
  return high;
}
double epsilon_of_gdp(double mu, double delta, double most) {
  static thread_local LastAnswers<3> known;
  return known.of({mu, delta, most}, [&] { return search_epsilon(mu, delta, most); });
}

// One joint release: mu^2 shared equally, so that S statistics cost sqrt(S), not S; or less, where
// no row moves all of them by their l2 at once, or counts share their noise.
Noise gaussian(const Problem& problem) {
  const double mu =
      mu_beside_bounded(gdp_mu(problem.epsilon, problem.delta), problem.bounded_lists);
  std::vector<double> l2;
  for (const StatisticShift& shift : problem.shifts) l2.push_back(shift.l2);
  const std::vector<NoiseShare> shares = noise_shares(
      l2, problem.joint.value_or(JointPrice{static_cast<double>(problem.statistics())}));
  Noise noise;
  for (std::size_t i = 0; i < l2.size(); ++i) {
    const NoiseShare& share = shares[i];
    const double epsilon_alone =
        problem.statistics() == 1 && problem.bounded_lists == 0
            ? problem.epsilon
            : epsilon_of_gdp(mu / share.deviation * kRoundUp, problem.delta, problem.epsilon);
    noise.push_back({{.family = Family::gaussian,
                      .sensitivity = l2[i],
                      .scale = l2[i] * share.deviation / mu * kRoundUp},
                     epsilon_alone,
                     problem.delta,
                     1,
                     share.rows,
                     share.weight});
  }
  return noise;
}

// One law is certified, at sensitivity 1, and stretched to each statistic's: noise and shift scale
// together, and a scale above the stretched one only adds independent normal noise.
NoiseLaw stretched(const NoiseLaw& unit, double sensitivity) {
  NoiseLaw law = unit;
  law.sensitivity = sensitivity;
  law.scale = unit.scale * sensitivity * kRoundUp;
  return law;
}

// Every other law is calibrated, and so certified, at the very number of lattice steps.
Noise in_shares(const Problem& problem, Family family) {
  const auto calibrated = [&](const Share& part, double sensitivity) {
    const NoiseLaw law =
        problem.calibrate(family, part.epsilon, part.delta, sensitivity, std::nullopt).law;
    // One designed for another lattice would be drawn on this one.
    if (is_step(family) && law.steps.sensitivity != sensitivity) {
      throw std::logic_error("a step law of another lattice");
    }
    return law;
  };
  const bool stretches = family == Family::multi_gaussian;
  const int together = together_of(problem, family);
  const NoiseLaw unit = stretches ? calibrated(smallest_share(problem, family), 1) : NoiseLaw{};
  Noise noise;
  for (const StatisticShift& shift : problem.shifts) {
    const double sensitivity = sensitivity_of(family, shift);
    const NoiseLaw law = stretches ? stretched(unit, sensitivity)
                         : together > 0 && shift.together
                             ? law_in_box(problem, together, shift)
                             : calibrated(share_of(problem, family, together, shift), sensitivity);
    if (is_pure(family)) {  // the same for every statistic, however many cells of it change
      noise.push_back({law, share(problem.epsilon, pure_parts(problem, together)), 0});
    } else {
      noise.push_back({law, share_of_cells(problem, problem.epsilon, shift),
                       share_of_cells(problem, problem.delta, shift)});
    }
  }
  return noise;
}

Cost times(std::int64_t parts, const Cost& one) {
  constexpr std::int64_t kMostAdded = 10000;  // more are multiplied
  if (parts > kMostAdded) {
    const double count = static_cast<double>(parts);
    return {next_up(count * one.amount), next_up(count * one.added_delta)};
  }
  Cost sum;
  for (std::int64_t i = 0; i < parts; ++i) sum = sum + one;
  return sum;
}

// Equal (epsilon, delta)-DP parts. Their delta is added up exactly: the shares of problem.delta are
// no more than it.
Cost cost_of_parts(const Problem& problem, std::int64_t parts, double epsilon, double delta) {
  const Cost sum = times(parts, cost_of_guarantee(problem.accounting, epsilon, delta));
  return {sum.amount, delta == 0 ? 0 : problem.delta};
}

Cost cost_of_laplace(const Problem& problem) {
  const int together = statistics_in_box(problem);
  const bool box = together > 0;
  const double part = share(problem.epsilon, pure_parts(problem, together));
  Cost sum = box ? cost_of_geometric(problem.accounting, part) : Cost{};
  for (const StatisticShift& shift : problem.shifts) {
    if (box && shift.together) continue;
    sum = sum + cost_of_geometric(problem.accounting, part, shift.l1);
  }
  return sum;
}

}  // namespace

StatisticShift statistic_shift(const Lattice& lattice, Adjacency adjacency, bool grouped) {
  // Exact in doubles: indices are at most 2^53 in magnitude and larger spans are even.
  const double coming = static_cast<double>(sensitivity_add_remove(lattice));
  if (adjacency == Adjacency::add_remove) return {coming, coming, coming, 1, 1};
  // WHERE may admit the row before or after only, so coming and going count here too.
  const double each = std::max(coming, static_cast<double>(sensitivity_replace(lattice)));
  if (!grouped) return {each, each, each, 1, 1};
  return {each, std::max(2 * coming, each), std::max(std::sqrt(2.0) * coming * kRoundUp, each), 2,
          2};
}

Obstacle obstacle(const Problem& problem, Family family) {
  // The double below the decimal 1e-300 will do for the Gaussian, which is not divided.
  if (!is_pure(family) && problem.delta < next_down(kLeastDelta)) {
    return Obstacle::no_delta;
  }
  const Share part = smallest_share(problem, family);
  if (family != Family::gaussian &&
      (part.epsilon < kLeastPart || (!is_pure(family) && part.delta < kLeastDelta))) {
    return Obstacle::shares_too_small;
  }
  const auto too_wide = [family](const StatisticShift& shift) {
    return sensitivity_of(family, shift) > most_steps(family);
  };
  if (std::ranges::any_of(problem.shifts, too_wide)) return Obstacle::bounds_too_wide;
  return Obstacle::none;
}

void refuse_obstacle(const Problem& problem, Family family) {
  const std::string mechanism = "mechanism " + std::string(name(family));
  switch (obstacle(problem, family)) {
    case Obstacle::none:
      return;
    case Obstacle::no_delta:
      refuse_parameter(mechanism + " needs a delta", "The valid range is 1e-300 <= delta <= 0.5.",
                       "Pass a delta such as 1e-6, or mechanism laplace or staircase.");
    case Obstacle::shares_too_small:
      refuse_parameter(
          "epsilon or delta is too small for so many statistics",
          "M" + mechanism.substr(1) + " divides both into " +
              std::to_string(smallest_share(problem, family).parts) +
              " parts; of epsilon each must be at least 1e-6, of delta at least 1e-300.",
          "Ask for fewer statistics, a larger epsilon, or mechanism gaussian with a delta.");
    case Obstacle::bounds_too_wide:
      refuse_parameter("bounds too wide for " + mechanism,
                       "One privacy unit moves a statistic by more than 2^" +
                           std::to_string(std::ilogb(most_steps(family))) + " lattice steps.",
                       "Declare narrower bounds, protect the table with fewer rows per unit, or "
                       "ask for mechanism laplace or gaussian.");
  }
}

QueryPlan price_of(const Problem& problem, Family family) {
  QueryPlan plan{
      family, problem.asked_epsilon, is_pure(family) ? 0 : problem.asked_delta, false, {}};
  if (!problem.accounting.counts_cost()) return plan;
  plan.has_own = true;
  switch (family) {
    case Family::gaussian:
      plan.own = cost_of_gaussian(problem.accounting, gdp_mu(problem.epsilon, problem.delta));
      break;
    case Family::laplace:
      plan.own = cost_of_laplace(problem);
      break;
    case Family::staircase:  // (epsilon/S, 0)-DP for each statistic, over all its cells
      plan.own = cost_of_parts(problem, problem.statistics(),
                               share(problem.epsilon, problem.statistics()), 0);
      break;
    default: {  // (epsilon/P, delta/P)-DP for each cell that changes
      const Share part = smallest_share(problem, family);
      plan.own = cost_of_parts(problem, part.parts, part.epsilon, part.delta);
    }
  }
  return plan;
}

bool has_cost_of_noise(const Problem& problem, Family family) {
  return problem.accounting.counts_cost() && family == Family::multi_gaussian;
}

std::optional<Cost> cost_of_noise(const Problem& problem, const Noise& noise) {
  if (!has_cost_of_noise(problem, noise[0].law.family)) return std::nullopt;
  // Relative to its sensitivity no law has a smaller scale than this; the laws are one but for
  // that.
  NoiseLaw unit = noise[0].law;
  for (const StatisticNoise& each : noise) {
    const double relative = each.law.scale / each.law.sensitivity;
    if (relative < unit.scale / unit.sensitivity) unit = each.law;
  }
  unit.scale = next_down(unit.scale / unit.sensitivity);
  unit.sensitivity = 1;
  return times(problem.changed_cells(), cost_of_multi_gaussian(problem.accounting, unit));
}

std::string_view mechanism_of(const QueryPlan& plan) {
  static const auto kBoth = [] {
    std::array<std::string, kFamilies.size()> names;
    for (const Family family : kFamilies) {
      names[static_cast<std::size_t>(family)] = std::string(name(family)) + "+exponential";
    }
    return names;
  }();
  if (plan.drawn == Drawn::some) return kBoth[static_cast<std::size_t>(plan.family)];
  return plan.drawn == Drawn::all ? "exponential" : name(plan.family);
}

Noise noise_of(const Problem& problem, Family family) {
  return family == Family::gaussian ? gaussian(problem) : in_shares(problem, family);
}

}  // namespace dpmix
