#include "core/release/family_noise.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/mechanism/gaussian_dp.hpp"
#include "core/mechanism/parameter.hpp"
#include "core/next_double.hpp"

namespace dpmix {
namespace {

constexpr double kLeastEpsilon = 1e-6;        // of calibration
constexpr double kMostLatticeSteps = 0x1p53;  // of a step law's sensitivity
// Covers the handful of roundings in a Gaussian scale, so that it is never too small.
constexpr double kRoundUp = 1 + 0x1p-48;

// A double whose n-fold is at most whole: the quotient's predecessor is below the exact quotient.
double share(double whole, int parts) {
  return parts == 1 || whole == 0 ? whole : next_down(whole / parts);
}

// What one law is calibrated to. laplace is calibrated to the L1 norm over groups, so only the
// statistics share; elsewhere each changed group of each statistic has its own share.
struct Share {
  int parts;
  double epsilon, delta;
};
Share share_of(const Problem& problem, Family family) {
  int parts = 1;
  if (family != Family::gaussian) parts = problem.statistics();
  if (family != Family::gaussian && family != Family::laplace) parts *= problem.shifts[0].groups;
  return {parts, share(problem.epsilon, parts), is_pure(family) ? 0 : share(problem.delta, parts)};
}

// What a law is calibrated to. A pure guarantee doubles with the distance, so half of the L1 norm
// will do for the staircase where two groups change (docs/proofs/query.md).
double sensitivity_of(Family family, const StatisticShift& shift) {
  if (family == Family::laplace) return shift.l1;
  return family == Family::staircase ? shift.l1 / shift.groups : shift.each;
}

// The least epsilon, rounded up, at which mu-GDP gives delta; at most `most`, which is known to.
double epsilon_of_gdp(double mu, double delta, double most) {
  if (gdp_delta(0, mu) <= delta) return 0;
  double low = 0, high = most;
  for (int i = 0; i < 60 && high - low > 1e-12 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (gdp_delta(middle, mu) <= delta ? high : low) = middle;
  }
  return high;
}

// One joint release: mu^2 shared equally, so that S statistics cost sqrt(S), not S.
Noise gaussian(const Problem& problem) {
  const double mu = gdp_mu(problem.epsilon, problem.delta);
  const double root = std::sqrt(static_cast<double>(problem.statistics()));
  const double epsilon_alone =
      problem.statistics() == 1
          ? problem.epsilon
          : epsilon_of_gdp(mu / root * kRoundUp, problem.delta, problem.epsilon);
  Noise noise;
  for (const StatisticShift& shift : problem.shifts) {
    noise.push_back({{.family = Family::gaussian,
                      .sensitivity = shift.l2,
                      .scale = shift.l2 * root / mu * kRoundUp},
                     epsilon_alone,
                     problem.delta});
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
  const Share part = share_of(problem, family);
  const double epsilon = share(problem.epsilon, problem.statistics());
  const double delta = is_pure(family) ? 0 : share(problem.delta, problem.statistics());
  const auto calibrated = [&](double sensitivity) {
    const NoiseLaw law =
        problem.calibrate(family, part.epsilon, part.delta, sensitivity, std::nullopt).law;
    // One designed for another lattice would be drawn on this one.
    if (is_step(family) && law.steps.sensitivity != sensitivity) {
      throw std::logic_error("a step law of another lattice");
    }
    return law;
  };
  const bool stretches = family == Family::multi_gaussian;
  const NoiseLaw unit = stretches ? calibrated(1) : NoiseLaw{};
  Noise noise;
  for (const StatisticShift& shift : problem.shifts) {
    const double sensitivity = sensitivity_of(family, shift);
    noise.push_back(
        {stretches ? stretched(unit, sensitivity) : calibrated(sensitivity), epsilon, delta});
  }
  return noise;
}

Cost times(int parts, const Cost& one) {
  Cost sum;
  for (int i = 0; i < parts; ++i) sum = sum + one;
  return sum;
}

// Equal (epsilon, delta)-DP parts. Their delta is added up exactly: the shares of problem.delta are
// no more than it.
Cost cost_of_parts(const Problem& problem, int parts, double epsilon, double delta) {
  const Cost sum = times(parts, cost_of_guarantee(problem.accounting, epsilon, delta));
  return {sum.amount, delta == 0 ? 0 : problem.delta};
}

}  // namespace

StatisticShift statistic_shift(const Lattice& lattice, Adjacency adjacency, bool grouped) {
  // Exact in doubles: indices are at most 2^53 in magnitude and larger spans are even.
  const double coming = static_cast<double>(sensitivity_add_remove(lattice));
  if (adjacency == Adjacency::add_remove) return {coming, coming, coming, 1};
  // WHERE may admit the row before or after only, so coming and going count here too.
  const double each = std::max(coming, static_cast<double>(sensitivity_replace(lattice)));
  if (!grouped) return {each, each, each, 1};
  return {each, std::max(2 * coming, each), std::max(std::sqrt(2.0) * coming * kRoundUp, each), 2};
}

Obstacle obstacle(const Problem& problem, Family family) {
  // The double below the decimal 1e-300 will do for the Gaussian, which is not divided.
  if (!is_pure(family) && problem.delta < next_down(kLeastDelta)) {
    return Obstacle::no_delta;
  }
  if (family == Family::gaussian) return Obstacle::none;
  const Share part = share_of(problem, family);
  if (part.epsilon < kLeastEpsilon || (!is_pure(family) && part.delta < kLeastDelta)) {
    return Obstacle::shares_too_small;
  }
  const auto too_wide = [family](const StatisticShift& shift) {
    return sensitivity_of(family, shift) > kMostLatticeSteps;
  };
  if (is_step(family) && std::ranges::any_of(problem.shifts, too_wide)) {
    return Obstacle::bounds_too_wide;
  }
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
              std::to_string(share_of(problem, family).parts) +
              " parts; of epsilon each must be at least 1e-6, of delta at least 1e-300.",
          "Ask for fewer statistics, a larger epsilon, or mechanism gaussian with a delta.");
    case Obstacle::bounds_too_wide:
      refuse_parameter("bounds too wide for " + mechanism,
                       "One row moves a statistic by more than 2^53 lattice steps.",
                       "Declare narrower bounds, or ask for mechanism laplace or gaussian.");
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
      for (const StatisticShift& shift : problem.shifts) {
        plan.own = plan.own + cost_of_geometric(problem.accounting,
                                                share_of(problem, family).epsilon, shift.l1);
      }
      break;
    case Family::staircase:  // (epsilon/S, 0)-DP for each statistic, over all groups
      plan.own = cost_of_parts(problem, problem.statistics(),
                               share(problem.epsilon, problem.statistics()), 0);
      break;
    default: {  // (epsilon/P, delta/P)-DP for each cell that changes
      const Share part = share_of(problem, family);
      plan.own = cost_of_parts(problem, part.parts, part.epsilon, part.delta);
    }
  }
  return plan;
}

std::optional<Cost> cost_of_noise(const Problem& problem, const Noise& noise) {
  if (!problem.accounting.counts_cost() || noise[0].law.family != Family::multi_gaussian)
    return std::nullopt;
  // Relative to its sensitivity no law has a smaller scale than this; the laws are one but for
  // that.
  NoiseLaw unit = noise[0].law;
  for (const StatisticNoise& each : noise) {
    const double relative = each.law.scale / each.law.sensitivity;
    if (relative < unit.scale / unit.sensitivity) unit = each.law;
  }
  unit.scale = next_down(unit.scale / unit.sensitivity);
  unit.sensitivity = 1;
  return times(share_of(problem, unit.family).parts,
               cost_of_multi_gaussian(problem.accounting, unit));
}

Noise noise_of(const Problem& problem, Family family) {
  return family == Family::gaussian ? gaussian(problem) : in_shares(problem, family);
}

}  // namespace dpmix
