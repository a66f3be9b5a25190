// When a table's budget is spent: the fully adaptive filters `basic`, `renyi`, `gdp` and
// `gaussian`
// (docs/proofs/accounting.md). Analysts choose each query after the last answer, so nothing
// weaker than a filter is sound. Check first, then compose.
//
// Enters: the table's budget, what was charged so far, one charge. Leaves: whether the charge may
// be made. Guarantee: as long as only admitted charges are made, everything released from the table
// is together (epsilon, delta)-DP, however each release and its epsilon were chosen. Comparisons
// are between exact decimals; costs were rounded up and totals down before.
//   basic: sum epsilon <= epsilon and sum delta <= delta
//   renyi: (sum epsilon <= epsilon and sum delta <= delta/4)
//       or (sum rho <= B(alpha) and sum added_delta <= delta/4),
//          B(alpha) = epsilon + log(alpha/(alpha-1)) + (log(delta/2) + log alpha)/(alpha-1)
//   gdp: the same with mu^2 in place of rho and, of B, the mu^2 of Gaussian noise that is
//          (epsilon, delta/2)-DP
//   gaussian: as gdp, with delta/20 for delta/4 and 9/10 delta for delta/2
// Sources: Feldman, Zrnic 2021 (Renyi filter); Smith, Thakurta 2022, and Koskela, Tobaben, Honkela
// 2022 (Gaussian-DP filter); Whitehouse et al. 2023 (basic filter, added delta); Canonne, Kamath,
// Steinke 2020, Proposition 12 (B).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/accounting/decimal.hpp"

namespace dpmix {

// What was charged so far; also what one charge adds.
struct Spending {
  Decimal epsilon, delta;       // the declared guarantees, summed
  Decimal amount, added_delta;  // the costs, summed: rho or mu^2, and delta; 0 under `basic`
};
Spending operator+(Spending a, const Spending& b);
Spending operator*(Spending one, std::uint64_t times);

// How much of what a sum of charges may come to is used: 1 is all of it, above 1 more than the
// budget (as it is now) allows. Named as the column of dpmix.charge that is summed.
struct SumUse {
  std::string_view sum;
  double share;
};
using ArmUse = std::array<SumUse, 2>;  // an arm holds while both of its sums do

// The order alpha > 1 of `renyi` that maximises B(alpha)/alpha, fixed for a table when it is
// protected. epsilon > 0, 0 < delta < 1.
double choose_order(double epsilon, double delta);

class Filter {
 public:
  // epsilon > 0, 0 <= delta < 1; but for `basic` a filter needs delta > 0, and `renyi` order > 1
  // (the others do not read it). Else Error PV005.
  Filter(Accountant accountant, Decimal epsilon, Decimal delta, double order);

  bool admits(const Spending& spent, const Spending& charge) const;
  const Accounting& accounting() const { return accounting_; }
  // What the costs may add up to, rounded down: B(alpha), or mu^2; 0 under `basic`.
  const Decimal& amount_total() const { return amount_total_; }
  // What the sums of each arm may come to: (epsilon, delta), and, but for `basic`, (amount, added).
  Spending limits() const;
  // What a release of (epsilon, delta) and a cost of its own takes; the cheaper, by price, of that
  // and the cost of any release with the guarantee. Under `basic` there is none.
  Spending charge_of(double epsilon, double delta, std::optional<Cost> own) const;
  // budget.epsilon_spent: a gauge, min(sum of epsilon, what the sum of costs proves), monotone.
  double epsilon_spent(const Spending& spent) const;
  // What the sums have used of each arm: `basic` has one, the others have one of the guarantees and
  // one of the costs. Gauges.
  std::vector<ArmUse> arms(const Spending& spent) const;
  // Admits sums up to this share of what each may come to here: for caps. 0 < share <= 1. What it
  // is asked of charges is the same, of epsilon_spent() nothing.
  Filter part(const Decimal& share) const;
  // How much of what it admits is used, by the arm that is least used: 1 is the end. A gauge too.
  double share_spent(const Spending& spent) const;
  // The largest epsilon (three significant digits, rounded down, from 1e-6 on) of a plain
  // (epsilon, delta) release that still fits; 0 when none does. For the HINT of PV001. But for
  // `basic` it is charged as any such release: one with a cheaper profile may fit more.
  double largest_epsilon(const Spending& spent, double delta) const;
  // The price that `auto` minimises: max(amount/total, added_delta/share) or epsilon/total.
  double price(const Spending& charge) const;

 private:
  Accounting accounting_;
  Decimal epsilon_, delta_;
  double conversion_delta_ = 0;  // what turns amounts into epsilon: delta_total / 2, rounded down
  Decimal amount_total_, added_share_;  // the share: delta_total / 4
};

}  // namespace dpmix
