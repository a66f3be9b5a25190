// Which family answers a query whose caller leaves it to `auto`, and why.
//
// Enters: the problem and the table's filter, all of them public. Leaves: the family, its noise,
// and for each family what it would cost and how far off each statistic would be.
// The rule: the least sum of expected absolute errors, each relative to its statistic's
// sensitivity, among the families whose price is no larger than the Gaussian's. With delta = 0: the
// pure family of least price, ties by that sum. A price is the share that the call takes of what
// binds its caller: the table's budget, or the cap of the caller's role where that is the larger
// share. Where the caller asks for accuracy, the least sum, whatever the price.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/accounting/filter.hpp"
#include "core/query/search_plan.hpp"

namespace dpmix {

enum class Verdict {
  chosen,
  no_better,  // its expected error is no less
  dearer_than_gaussian,
  most_accurate,  // of those that are dearer than gaussian, and less off than the one chosen
  dearer,         // than the one chosen, delta = 0
  dominated,      // not calibrated: `optimal` gives the same guarantees with less error
  no_delta,
  shares_too_small,
  bounds_too_wide,
};
std::string_view describe(Verdict verdict);

struct Candidate {
  Family family;
  Verdict verdict;
  // What would be charged, and which share of the table's budget that is by the filter's price (of
  // multi_gaussian not calibrated: at most); NaN where the family cannot answer.
  double epsilon = std::numeric_limits<double>::quiet_NaN();
  double delta = std::numeric_limits<double>::quiet_NaN();
  double price = std::numeric_limits<double>::quiet_NaN();
};

struct Candidates {
  int count = 0;
  std::array<Candidate, kFamilies.size()> candidate;
  // Expected absolute errors in lattice steps, candidate after candidate and for each all
  // statistics; NaN where not calibrated. The caller's: kFamilies.size() times the statistics.
  std::span<double> error;
};

// A family without delta that is less off at the same epsilon than the one chosen, for more of the
// budget: of both the number of times.
struct MoreAccurate {
  Family family;
  double less_error, price;
};

struct FamilyChoice {
  QueryPlan plan;
  Noise noise;
  std::optional<MoreAccurate> other = std::nullopt;  // of choose_family()
};
// What each family would have to make noise for: the same statistics, but how groups are found
// depends on the family.
using SearchedProblemOf = std::function<SearchedProblem(Family)>;
// Chooses a family. With an explanation, families that are too dear are calibrated too where that
// is quick; without one, laplace alone.
FamilyChoice choose_family(const SearchedProblemOf& problems, const Filter& filter,
                           Candidates* explanation);
// The same for a family that the caller asked for: it is its own only candidate.
FamilyChoice take_family(const SearchedProblem& problem, const Filter& filter, Family family,
                         Candidates* explanation);
// The plan alone of the same. Noise is calibrated only where the cost depends on it.
QueryPlan price_family(const SearchedProblem& problem, const Filter& filter, Family family);

}  // namespace dpmix
