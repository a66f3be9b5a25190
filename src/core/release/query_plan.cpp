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

struct Candidate {
  QueryPlan plan;
  std::vector<StatisticNoise> noise;
};

// What is being planned: the request in doubles that do not exceed the decimals charged.
struct Problem {
  double epsilon, delta;
  double order;
  std::vector<StatisticShift> shifts;

  // Parts that the guarantee is divided into, when each statistic has its own.
  int parts(bool by_group) const {
    return static_cast<int>(shifts.size()) * (by_group ? shifts.front().groups : 1);
  }
};

// A double whose n-fold is at most whole: the quotient's predecessor is below the exact quotient.
double share(double whole, int parts) {
  return parts == 1 || whole == 0 ? whole : std::nextafter(whole / parts, 0.0);
}

double share_of_epsilon(const Problem& problem, int parts, Family family) {
  const double part = share(problem.epsilon, parts);
  if (part < kLeastEpsilon) {
    throw Error(ErrorCode::invalid_parameter, "epsilon is too small for so many statistics",
                "Mechanism " + std::string(name(family)) + " divides epsilon into " +
                    std::to_string(parts) + " parts; each must be at least 1e-6.",
                "Ask for fewer statistics, a larger epsilon, or mechanism gaussian with a delta.");
  }
  return part;
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
Candidate gaussian(const Problem& problem) {
  const double mu = gdp_mu(problem.epsilon, problem.delta);
  const double root = std::sqrt(static_cast<double>(problem.shifts.size()));
  const double epsilon_alone =
      problem.shifts.size() == 1
          ? problem.epsilon
          : epsilon_of_gdp(mu / root * kRoundUp, problem.delta, problem.epsilon);
  Candidate made{{Family::gaussian, problem.epsilon, problem.delta, false, {}}, {}};
  for (const StatisticShift& shift : problem.shifts) {
    made.noise.push_back({{.family = Family::gaussian,
                           .sensitivity = shift.l2,
                           .scale = shift.l2 * root / mu * kRoundUp},
                          epsilon_alone,
                          problem.delta});
  }
  if (problem.order > 0) {
    made.plan.has_own = true;
    made.plan.own = renyi_of_gaussian(problem.order, mu);
  }
  return made;
}

// Each statistic has its share of epsilon, spent on the L1 norm of its change.
Candidate laplace(const Problem& problem) {
  const double part = share_of_epsilon(problem, problem.parts(false), Family::laplace);
  Candidate made{{Family::laplace, problem.epsilon, 0, problem.order > 0, {}}, {}};
  for (const StatisticShift& shift : problem.shifts) {
    made.noise.push_back({calibrate(Family::laplace, part, 0, shift.l1).law, part, 0});
    if (problem.order > 0) {
      made.plan.own = made.plan.own + renyi_of_geometric(problem.order, part, shift.l1);
    }
  }
  return made;
}

// Each changed group of each statistic has its share of (epsilon, delta): basic composition.
Candidate multi_gaussian(const Problem& problem) {
  const int parts = problem.parts(true);
  const double epsilon = share_of_epsilon(problem, parts, Family::multi_gaussian);
  const double delta = share(problem.delta, parts);
  const int statistics = static_cast<int>(problem.shifts.size());
  Candidate made{{Family::multi_gaussian, problem.epsilon, problem.delta, false, {}}, {}};
  for (const StatisticShift& shift : problem.shifts) {
    made.noise.push_back({calibrate(Family::multi_gaussian, epsilon, delta, shift.each).law,
                          share(problem.epsilon, statistics), share(problem.delta, statistics)});
  }
  return made;
}

Candidate candidate(Family family, const Problem& problem) {
  switch (family) {
    case Family::gaussian:
      return gaussian(problem);
    case Family::multi_gaussian:
      return multi_gaussian(problem);
    case Family::laplace:
      return laplace(problem);
  }
  throw Error(ErrorCode::invalid_parameter, "unknown mechanism", "", "");
}

double relative_error(const Candidate& made, const Problem& problem) {
  double sum = 0;
  for (std::size_t i = 0; i < made.noise.size(); ++i) {
    sum += lattice_moments(made.noise[i].law, 1).expected_abs / problem.shifts[i].each;
  }
  return sum;
}

Candidate cheapest_error(const Problem& problem, const Filter& filter) {
  if (problem.delta == 0) return laplace(problem);
  const auto price = [&](const Candidate& made) {
    const QueryPlan& plan = made.plan;
    return filter.price(
        filter.charge_of(plan.epsilon, plan.delta,
                         plan.has_own ? std::optional<RenyiCost>(plan.own) : std::nullopt));
  };
  Candidate best = gaussian(problem);
  const double price_limit = price(best);
  double least = relative_error(best, problem);
  for (Family family : {Family::multi_gaussian, Family::laplace}) {
    // A share below the range of calibration rules a family out; it is no error here.
    if (share(problem.epsilon, problem.parts(family == Family::multi_gaussian)) < kLeastEpsilon) {
      continue;
    }
    Candidate other = candidate(family, problem);
    const double error = relative_error(other, problem);
    if (error < least && price(other) <= price_limit) {
      least = error;
      best = std::move(other);
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
                     std::span<const Lattice> statistics, std::span<StatisticNoise> noise) {
  check_epsilon_delta(request.epsilon, request.delta);
  if (request.delta == 0 && request.mechanism && *request.mechanism != Family::laplace) {
    throw Error(ErrorCode::invalid_parameter,
                "mechanism " + std::string(name(*request.mechanism)) + " needs a delta",
                "delta is 0; the valid range is 0 < delta <= 0.5.",
                "Pass a delta such as 1e-6, or mechanism laplace.");
  }
  Problem problem{Decimal::printed(request.epsilon).lower_double(),
                  Decimal::printed(request.delta).lower_double(),
                  order,
                  {}};
  for (const Lattice& lattice : statistics) {
    problem.shifts.push_back(statistic_shift(lattice, request.adjacency, request.grouped));
  }
  Candidate chosen =
      request.mechanism ? candidate(*request.mechanism, problem) : cheapest_error(problem, filter);
  std::copy(chosen.noise.begin(), chosen.noise.end(), noise.begin());
  // The charge is in the decimals that were asked, which the doubles above do not exceed.
  chosen.plan.epsilon = request.epsilon;
  if (chosen.plan.delta > 0) chosen.plan.delta = request.delta;
  return chosen.plan;
}

}  // namespace dpmix
