// How a table adds up what its releases cost, and what each kind of release costs there.
//
// Enters: the table's accounting, fixed when it is protected, and public parameters of a release.
// Leaves: its cost under that accountant, rounded up; nothing under `basic`, which adds up epsilon
// and delta alone. Guaranteed: the release has that profile (docs/proofs/accounting.md).
#pragma once

#include <optional>
#include <string_view>

#include "core/accounting/cost.hpp"
#include "core/noise/law.hpp"

namespace dpmix {

enum class Accountant {
  basic,
  renyi,
  gdp,
  gaussian,  // gdp, but for how it splits the table's delta
};
std::string_view name(Accountant accountant);
std::optional<Accountant> accountant_of(std::string_view name);
inline constexpr const char* kAccountants = "basic, renyi, gdp or gaussian";

// An accountant that counts costs splits delta into so many parts: one is for deltas that are added
// (of all charges by their guarantees, or beside their costs), each of the two; all others are what
// the costs are converted at.
unsigned parts_of_delta(Accountant accountant);

struct Accounting {
  Accountant accountant = Accountant::basic;
  double order = 0;  // of `renyi`, above 1; not read by the others

  bool counts_cost() const { return accountant != Accountant::basic; }
  bool counts_mu_squared() const { return counts_cost() && accountant != Accountant::renyi; }
};

// Any (epsilon, delta)-DP release.
Cost cost_of_guarantee(const Accounting& table, double epsilon, double delta);
// Gaussian noise, shift/deviation <= mu.
Cost cost_of_gaussian(const Accounting& table, double mu);
// Two-sided geometric noise that is (epsilon, 0)-DP at an L1 sensitivity of so many lattice steps;
// one vector counts once, and steps = 1 is right for any number.
Cost cost_of_geometric(const Accounting& table, double epsilon, double steps = 1);
// A choice whose log ratios between neighbours lie in some interval of length epsilon: the
// exponential mechanism with epsilon = 2 rate sensitivity.
Cost cost_of_bounded_range(const Accounting& table, double epsilon);
// A valid law of family multi_gaussian.
Cost cost_of_multi_gaussian(const Accounting& table, const NoiseLaw& law);

}  // namespace dpmix
