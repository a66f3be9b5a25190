#include "core/query/auto_choice.hpp"

#include <algorithm>
#include <optional>

#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

// Of equal errors the first is kept: pure families, which cost no delta, then simpler ones (on
// counts `optimal` often is one of them). `optimal` before the mixtures, which take the longest to
// calibrate and are spared it where it dominates them.
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

void price(Entry& entry, const Problem& problem, const Filter& filter) {
  entry.plan = price_of(problem, entry.candidate.family);
  entry.candidate.epsilon = entry.plan.epsilon;
  entry.candidate.delta = entry.plan.delta;
  entry.candidate.price = price_of(entry.plan, filter);
}

void calibrate(Entry& entry, const Problem& problem, const Filter& filter) {
  entry.noise = noise_of(problem, entry.candidate.family);
  for (std::size_t i = 0; i < entry.noise.size(); ++i) {
    entry.error += expected_error(entry.noise[i]) / problem.shifts[i].each;
  }
  if (const auto own = cost_of_noise(problem, entry.noise)) {
    QueryPlan plan = entry.plan;
    plan.own = *own;
    if (const double price = price_of(plan, filter); price < entry.candidate.price) {
      entry.plan = plan;
      entry.candidate.price = price;
    }
  }
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

Choice choose_family(const Problem& problem, const Filter& filter, Candidates* explanation) {
  const bool pure = obstacle(problem, Family::gaussian) == Obstacle::no_delta;
  refuse_obstacle(problem,
                  pure ? Family::laplace : Family::gaussian);  // one that always may be chosen
  std::vector<Entry> entries;
  double limit = std::numeric_limits<double>::infinity();
  bool optimal_is_eligible = false;
  for (const Family family : kInOrder) {
    Entry& entry = entries.emplace_back(Entry{.candidate = {family, Verdict::no_better}});
    if (const Obstacle found = obstacle(problem, family); found != Obstacle::none) {
      entry.candidate.verdict = verdict_of(found);
      continue;
    }
    price(entry, problem, filter);
    if (family == Family::gaussian) limit = entry.candidate.price;
    entry.eligible = entry.candidate.price <= limit;
    if (!entry.eligible) entry.candidate.verdict = Verdict::dearer_than_gaussian;
    // Measured, not proved (docs/proofs/query.md): these never beat `optimal`, and never cost less
    // than gaussian where their guarantee alone costs more.
    const bool mixture = family == Family::quasi_gaussian || family == Family::multi_gaussian;
    if (mixture && optimal_is_eligible) {
      entry.eligible = false;
      entry.candidate.verdict = Verdict::dominated;
    } else if (entry.eligible || (explanation != nullptr && !mixture)) {
      calibrate(entry, problem, filter);
    }
    if (family == Family::optimal) optimal_is_eligible = entry.eligible;
  }
  const auto cheaper = [](const Entry& a, const Entry& b) {
    return clearly_less(a.candidate.price, b.candidate.price);
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
  explain(explanation, entries);
  return {best->plan, std::move(best->noise)};
}

Choice take_family(const Problem& problem, const Filter& filter, Family family,
                   Candidates* explanation) {
  refuse_obstacle(problem, family);
  Entry entry{.candidate = {family, Verdict::chosen}};
  price(entry, problem, filter);
  calibrate(entry, problem, filter);
  explain(explanation, {&entry, 1});
  return {entry.plan, std::move(entry.noise)};
}

QueryPlan price_family(const Problem& problem, const Filter& filter, Family family) {
  refuse_obstacle(problem, family);
  Entry entry{.candidate = {family, Verdict::chosen}};
  price(entry, problem, filter);
  if (has_cost_of_noise(problem, family)) calibrate(entry, problem, filter);
  return entry.plan;
}

}  // namespace dpmix
