#include "core/query/auto_choice.hpp"

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

// The order in which families are tried: the first of equal errors is kept. Pure families, which
// cost no delta, come first, then simpler ones (on counts `optimal` often is one of them).
// `optimal` is before the mixtures, which take the longest to calibrate and are spared it where it
// dominates them.
constexpr std::array kInOrder = {
    Family::gaussian, Family::laplace, Family::staircase,      Family::truncated_laplace,
    Family::tulap,    Family::optimal, Family::quasi_gaussian, Family::multi_gaussian};
static_assert(kInOrder.size() == kFamilies.size());

// Errors and prices closer than this are equal: they are computed to about 1e-9.
constexpr double kTie = 1e-6;
bool clearly_less(double a, double b) {
  return a < b * (1 - kTie);
}

struct Entry {
  Candidate candidate;
  SearchedProblem problem = {};
  QueryPlan plan = {};
  bool eligible = false;  // may be chosen
  Noise noise = {};       // empty: not calibrated
  double error = 0;       // relative, summed
};

double expected_error(const StatisticNoise& noise) {
  return lattice_moments(noise.law, 1).expected_abs;
}

double price_of(const QueryPlan& plan, const Filter& filter) {
  return filter.price(filter.charge_of(plan.epsilon, plan.delta,
                                       plan.has_own ? std::optional(plan.own) : std::nullopt));
}

// The share of what binds the caller.
double binding(const Entry& entry) {
  return std::max(entry.candidate.price, entry.problem.problem.cap_share);
}

void price(Entry& entry, const Filter& filter) {
  entry.plan =
      with_search(price_of(entry.problem.problem, entry.candidate.family), entry.problem, filter);
  entry.candidate.epsilon = entry.plan.epsilon;
  entry.candidate.delta = entry.plan.delta;
  entry.candidate.price = price_of(entry.plan, filter);
}

void calibrate(Entry& entry, const Filter& filter) {
  const Problem& problem = entry.problem.problem;
  entry.noise = noise_of(problem, entry.candidate.family);
  if (const auto own = cost_of_noise(problem, entry.noise)) {
    QueryPlan statistics = price_of(problem, entry.candidate.family);
    statistics.own = *own;
    const QueryPlan plan = with_search(statistics, entry.problem, filter);
    if (const double price = price_of(plan, filter); price < entry.candidate.price) {
      entry.plan = plan;
      entry.candidate.price = price;
    }
  }
  finish_search(entry.plan, entry.noise);
  for (std::size_t i = 0; i < entry.noise.size(); ++i) {
    entry.error += expected_error(entry.noise[i]) / problem.shifts[i].each;
  }
}

// One that cannot find the groups is no candidate.
void calibrate_or_rule_out(Entry& entry, const Filter& filter) {
  try {
    calibrate(entry, filter);
  } catch (const Error& error) {
    if (error.code != ErrorCode::invalid_parameter) throw;
    entry.eligible = false;
    entry.noise.clear();
    entry.candidate.verdict = Verdict::shares_too_small;
  }
}

// Where it is worth a word.
std::optional<MoreAccurate> more_accurate(std::span<const Entry> entries, const Entry& best) {
  constexpr double kWorth = 1.2;
  for (const Entry& entry : entries) {
    const bool other = entry.candidate.family == Family::laplace && !entry.noise.empty() &&
                       entry.candidate.verdict != Verdict::chosen && entry.error > 0;
    if (other && best.error >= kWorth * entry.error) {
      return MoreAccurate{entry.candidate.family, best.error / entry.error,
                          binding(entry) / binding(best)};
    }
  }
  return std::nullopt;
}

Verdict verdict_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::no_delta:
      return Verdict::no_delta;
    case Obstacle::shares_too_small:
      return Verdict::shares_too_small;
    default:
      return Verdict::bounds_too_wide;
  }
}

// And the problem, where there is one for the family: coins may have shares too small for them.
Obstacle obstacle_of(Entry& entry, const SearchedProblemOf& problems) {
  try {
    entry.problem = problems(entry.candidate.family);
  } catch (const Error& error) {
    if (error.code != ErrorCode::invalid_parameter) throw;
    return Obstacle::shares_too_small;
  }
  return obstacle(entry.problem.problem, entry.candidate.family);
}

void explain(Candidates* explanation, std::span<const Entry> entries) {
  if (explanation == nullptr) return;
  explanation->count = static_cast<int>(entries.size());
  const std::size_t statistics = explanation->error.size() / kFamilies.size();
  std::ranges::fill(explanation->error, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t c = 0; c < entries.size(); ++c) {
    explanation->candidate[c] = entries[c].candidate;
    for (std::size_t i = 0; i < entries[c].noise.size(); ++i) {
      explanation->error[c * statistics + i] = expected_error(entries[c].noise[i]);
    }
  }
}

}  // namespace

std::string_view describe(Verdict verdict) {
  switch (verdict) {
    case Verdict::chosen:
      return "chosen";
    case Verdict::no_better:
      return "no less error than the one chosen";
    case Verdict::dearer_than_gaussian:
      return "costs more of the budget than gaussian";
    case Verdict::most_accurate:
      return "the least error, for more of the budget: mechanism => 'accurate'";
    case Verdict::dearer:
      return "costs more of the budget than the one chosen";
    case Verdict::dominated:
      return "not calibrated: optimal costs the same and has less error";
    case Verdict::no_delta:
      return "not available: needs a delta above 0";
    case Verdict::shares_too_small:
      return "not available: epsilon or delta is too small for so many statistics";
    case Verdict::bounds_too_wide:
      return "not available: the bounds are too wide";
  }
  return "";
}

FamilyChoice choose_family(const SearchedProblemOf& problems, const Filter& filter,
                           Candidates* explanation) {
  const SearchedProblem first = problems(Family::gaussian);
  const bool pure = obstacle(first.problem, Family::gaussian) == Obstacle::no_delta;
  refuse_obstacle(first.problem,
                  pure ? Family::laplace : Family::gaussian);  // one that always may be chosen
  std::vector<Entry> entries;
  double limit = std::numeric_limits<double>::infinity();
  bool optimal_is_eligible = false;
  for (const Family family : kInOrder) {
    Entry& entry = entries.emplace_back(Entry{.candidate = {family, Verdict::no_better}});
    const Obstacle found = obstacle_of(entry, problems);
    if (found != Obstacle::none) {
      entry.candidate.verdict = verdict_of(found);
      continue;
    }
    price(entry, filter);
    if (family == Family::gaussian && !first.problem.accurate) limit = binding(entry);
    entry.eligible = binding(entry) <= limit;
    if (!entry.eligible) entry.candidate.verdict = Verdict::dearer_than_gaussian;
    // Measured, not proved (docs/proofs/query.md): these never beat `optimal`, and never cost less
    // than gaussian where their guarantee alone costs more.
    const bool mixture = family == Family::quasi_gaussian || family == Family::multi_gaussian;
    if (mixture && optimal_is_eligible) {
      entry.eligible = false;
      entry.candidate.verdict = Verdict::dominated;
    } else if (entry.eligible || (explanation != nullptr && !mixture) ||
               (!pure && family == Family::laplace)) {
      calibrate_or_rule_out(entry, filter);
    }
    if (family == Family::optimal) optimal_is_eligible = entry.eligible;
  }
  const auto cheaper = [&](const Entry& a, const Entry& b) {
    return !first.problem.accurate && clearly_less(binding(a), binding(b));
  };
  Entry* best = nullptr;
  for (Entry& entry : entries) {
    if (!entry.eligible) continue;
    if (best == nullptr || (pure && cheaper(entry, *best)) ||
        (!(pure && cheaper(*best, entry)) && clearly_less(entry.error, best->error))) {
      best = &entry;
    }
  }
  if (pure) {
    for (Entry& entry : entries) {
      if (entry.eligible && cheaper(*best, entry)) entry.candidate.verdict = Verdict::dearer;
    }
  }
  best->candidate.verdict = Verdict::chosen;
  Entry* accurate = best;
  for (Entry& entry : entries) {
    const bool dear = entry.candidate.verdict == Verdict::dearer_than_gaussian ||
                      entry.candidate.verdict == Verdict::dearer;
    if (dear && !entry.noise.empty() && clearly_less(entry.error, accurate->error)) {
      accurate = &entry;
    }
  }
  if (accurate != best) accurate->candidate.verdict = Verdict::most_accurate;
  explain(explanation, entries);
  const auto other = more_accurate(entries, *best);
  return {best->plan, std::move(best->noise), other};
}

FamilyChoice take_family(const SearchedProblem& problem, const Filter& filter, Family family,
                         Candidates* explanation) {
  refuse_obstacle(problem.problem, family);
  Entry entry{.candidate = {family, Verdict::chosen}, .problem = problem};
  price(entry, filter);
  calibrate(entry, filter);
  explain(explanation, {&entry, 1});
  return {entry.plan, std::move(entry.noise)};
}

QueryPlan price_family(const SearchedProblem& problem, const Filter& filter, Family family) {
  refuse_obstacle(problem.problem, family);
  Entry entry{.candidate = {family, Verdict::chosen}, .problem = problem};
  price(entry, filter);
  if (has_cost_of_noise(problem.problem, family)) calibrate(entry, filter);
  return entry.plan;
}

}  // namespace dpmix
