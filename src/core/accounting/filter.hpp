// When a table's budget is spent: the fully adaptive filters `basic` and `renyi`
// (docs/proofs/accounting.md). Analysts choose each query after the last answer, so nothing
// weaker than a filter is sound. Check first, then compose.
//
// Enters: the table's budget, what was charged so far, one charge. Leaves: whether the charge may
// be made. Guarantee: as long as only admitted charges are made, everything released from the table
// is together (epsilon, delta)-DP, however each release and its epsilon were chosen. Comparisons
// are between exact decimals; costs were rounded up and B(alpha) down before.
//   basic: sum epsilon <= epsilon and sum delta <= delta
//   renyi: (sum epsilon <= epsilon and sum delta <= delta/4)
//       or (sum rho <= B(alpha) and sum added_delta <= delta/4),
//          B(alpha) = epsilon + log(alpha/(alpha-1)) + (log(delta/2) + log alpha)/(alpha-1)
// Sources: Feldman, Zrnic 2021 (Renyi filter); Whitehouse et al. 2023 (basic filter, added delta);
// Canonne, Kamath, Steinke 2020, Proposition 12 (B).
#pragma once

#include <optional>
#include <string_view>

#include "core/accounting/decimal.hpp"
#include "core/accounting/profile.hpp"

namespace dpmix {

enum class Accountant { basic, renyi };
std::string_view name(Accountant accountant);
std::optional<Accountant> accountant_of(std::string_view name);

// What was charged so far; also what one charge adds.
struct Spending {
  Decimal epsilon, delta;    // the declared guarantees, summed
  Decimal rho, added_delta;  // the Renyi profile at the table's order, summed; 0 under `basic`
};
Spending operator+(Spending a, const Spending& b);

// The order alpha > 1 that maximises B(alpha)/alpha, fixed for a table when it is protected.
// epsilon > 0, 0 < delta < 1.
double choose_order(double epsilon, double delta);

class Filter {
 public:
  // epsilon > 0, 0 <= delta < 1; a `renyi` filter needs delta > 0 and order > 1 (`basic` does not
  // read order). Else Error PV005.
  Filter(Accountant accountant, Decimal epsilon, Decimal delta, double order);

  bool admits(const Spending& spent, const Spending& charge) const;
  // The profile of the budget at the table's order: B(alpha), rounded down; 0 under `basic`.
  const Decimal& rho_total() const { return rho_total_; }
  // What a release of (epsilon, delta) and own Renyi cost takes; the cheaper, by price, of its own
  // profile and the generic one. Under `basic` rho and added_delta stay 0.
  Spending charge_of(double epsilon, double delta, std::optional<RenyiCost> own) const;
  // budget.epsilon_spent: a gauge, min(sum of epsilon, what sum of rho proves), monotone.
  double epsilon_spent(const Spending& spent) const;
  // How much of what it admits is used, by the arm that is least used: 1 is the end. A gauge too.
  double share_spent(const Spending& spent) const;
  // The largest epsilon (three significant digits, rounded down, from 1e-6 on) of a plain
  // (epsilon, delta) release that still fits; 0 when none does. For the HINT of PV001. Under
  // `renyi` such a release costs its generic profile, so one with a cheaper profile may fit more.
  double largest_epsilon(const Spending& spent, double delta) const;
  // The price that `auto` minimises: max(rho/B, added_delta/share) or epsilon/total.
  double price(const Spending& charge) const;

 private:
  Accountant accountant_;
  Decimal epsilon_, delta_;
  double order_;
  double conversion_delta_ = 0;      // delta_total / 2, rounded down: what turns rho into epsilon
  Decimal rho_total_, added_share_;  // B(alpha) and delta_total / 4
};

}  // namespace dpmix
