#include "core/release/query_plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/mechanism/calibration.hpp"
#include "core/mechanism/gaussian_dp.hpp"

namespace dpmix {
namespace {

constexpr double kLeastEpsilon = 1e-6;  // of calibrate()
// Covers the handful of roundings in a Gaussian scale, so that it is never too small.
constexpr double kRoundUp = 1 + 0x1p-48;

// What is being planned: the request in doubles that do not exceed the decimals charged.
struct Problem {
  double epsilon, delta;
  double order;
  Calibrator calibrate;
  std::vector<StatisticShift> shifts;

  int statistics() const { return static_cast<int>(shifts.size()); }
};

// A double whose n-fold is at most whole: the quotient's predecessor is below the exact quotient.
double share(double whole, int parts) {
  return parts == 1 || whole == 0 ? whole : std::nextafter(whole / parts, 0.0);
}

// What one part gets where a family divides the guarantee: laplace among the statistics, for it is
// calibrated to the L1 norm over groups; multi_gaussian among the changed groups of each, too.
struct Share {
  int parts;
  double epsilon, delta;
  bool in_range;  // of calibration
};
Share share_of(const Problem& problem, Family family) {
  const bool pure = family == Family::laplace;
  const int parts = problem.statistics() * (pure ? 1 : problem.shifts.front().groups);
  const double epsilon = share(problem.epsilon, parts);
  const double delta = pure ? 0 : share(problem.delta, parts);
  return {parts, epsilon, delta, epsilon >= kLeastEpsilon && (pure || delta >= kLeastDelta)};
}

Share share_or_refuse(const Problem& problem, Family family) {
  const Share part = share_of(problem, family);
  if (part.in_range) return part;
  throw Error(ErrorCode::invalid_parameter, "epsilon or delta is too small for so many statistics",
              "Mechanism " + std::string(name(family)) + " divides both into " +
                  std::to_string(part.parts) +
                  " parts; of epsilon each must be at least 1e-6, of delta at least 1e-300.",
              "Ask for fewer statistics, a larger epsilon, or mechanism gaussian with a delta.");
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

// What the release of a family guarantees and costs: known before its noise is calibrated.
QueryPlan price_of(const Problem& problem, Family family) {
  QueryPlan plan{family, problem.epsilon, problem.delta, false, {}};
  if (family == Family::laplace) plan.delta = 0;
  if (problem.order == 0) return plan;
  if (family == Family::gaussian) {
    plan.has_own = true;
    plan.own = renyi_of_gaussian(problem.order, gdp_mu(problem.epsilon, problem.delta));
  } else if (family == Family::laplace) {
    const double part = share_or_refuse(problem, family).epsilon;
    plan.has_own = true;
    for (const StatisticShift& shift : problem.shifts) {
      plan.own = plan.own + renyi_of_geometric(problem.order, part, shift.l1);
    }
  }
  return plan;
}

using Noise = std::vector<StatisticNoise>;

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

// Each statistic has its share of epsilon, spent on the L1 norm of its change.
Noise laplace(const Problem& problem) {
  const Share part = share_or_refuse(problem, Family::laplace);
  Noise noise;
  for (const StatisticShift& shift : problem.shifts) {
    const Calibration made =
        problem.calibrate(Family::laplace, part.epsilon, 0, shift.l1, std::nullopt);
    noise.push_back({made.law, part.epsilon, 0});
  }
  return noise;
}

// Each changed group of each statistic has its share of (epsilon, delta): basic composition. One
// law is certified, at sensitivity 1, and stretched to each statistic's; a scale above the
// stretched one only adds independent normal noise.
Noise multi_gaussian(const Problem& problem) {
  const Share part = share_or_refuse(problem, Family::multi_gaussian);
  const NoiseLaw unit =
      problem.calibrate(Family::multi_gaussian, part.epsilon, part.delta, 1, std::nullopt).law;
  Noise noise;
  for (const StatisticShift& shift : problem.shifts) {
    NoiseLaw law = unit;
    law.sensitivity = shift.each;
    law.scale = unit.scale * shift.each * kRoundUp;
    noise.push_back({law, share(problem.epsilon, problem.statistics()),
                     share(problem.delta, problem.statistics())});
  }
  return noise;
}

Noise noise_of(const Problem& problem, Family family) {
  switch (family) {
    case Family::gaussian:
      return gaussian(problem);
    case Family::multi_gaussian:
      return multi_gaussian(problem);
    default:
      return laplace(problem);
  }
}

double relative_error(const Problem& problem, const Noise& noise) {
  double sum = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    sum += lattice_moments(noise[i].law, 1).expected_abs / problem.shifts[i].each;
  }
  return sum;
}

Family choose_family(const Problem& problem, const Filter& filter) {
  if (problem.delta < kLeastDelta) return Family::laplace;
  const auto price = [&](Family family) {
    const QueryPlan plan = price_of(problem, family);
    return filter.price(
        filter.charge_of(plan.epsilon, plan.delta,
                         plan.has_own ? std::optional<RenyiCost>(plan.own) : std::nullopt));
  };
  Family best = Family::gaussian;
  const double limit = price(best);
  double least = relative_error(problem, gaussian(problem));
  for (Family family : {Family::multi_gaussian, Family::laplace}) {
    if (!share_of(problem, family).in_range || price(family) > limit) continue;
    const double error = relative_error(problem, noise_of(problem, family));
    if (error < least) {
      least = error;
      best = family;
    }
  }
  return best;
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

QueryPlan plan_query(const QueryRequest& request, const Filter& filter, double order,
                     std::span<const Lattice> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate) {
  check_epsilon_delta(request.epsilon, request.delta);
  if (request.delta < kLeastDelta && request.mechanism && *request.mechanism != Family::laplace) {
    throw Error(ErrorCode::invalid_parameter,
                "mechanism " + std::string(name(*request.mechanism)) + " needs a delta",
                "The valid range is 1e-300 <= delta <= 0.5.",
                "Pass a delta such as 1e-6, or mechanism laplace.");
  }
  Problem problem{Decimal::printed(request.epsilon).lower_double(),
                  Decimal::printed(request.delta).lower_double(),
                  order,
                  calibrate,
                  {}};
  for (const Lattice& lattice : statistics) {
    problem.shifts.push_back(statistic_shift(lattice, request.adjacency, request.grouped));
  }
  const Family family = request.mechanism ? *request.mechanism : choose_family(problem, filter);
  QueryPlan plan = price_of(problem, family);
  std::ranges::copy(noise_of(problem, family), noise.begin());
  // The charge is in the decimals that were asked, which the doubles above do not exceed.
  plan.epsilon = request.epsilon;
  if (plan.delta > 0) plan.delta = request.delta;
  return plan;
}

}  // namespace dpmix
