#include "pg/ledger/book.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/base/error.hpp"

namespace dpmix::pg {
namespace {

std::string printed(double value) {
  return Decimal::printed(value).str();
}

// For reading: six digits of a gauge.
std::string rounded(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return printed(std::strtod(digits, nullptr));
}

std::string request_of(double epsilon, double delta) {
  return "Requested are epsilon " + printed(epsilon) + " and delta " + printed(delta);
}

// The largest epsilon whose decimal is at most this.
double largest_within(const Decimal& left) {
  const double nearest = left.approximate();
  return Decimal::printed(nearest) <= left ? nearest : left.lower_double();
}

// largest: 0 when nothing fits. more: what the owner may do about it.
std::string hint_of(const Terms& terms, double largest, double delta, const std::string& more) {
  const bool allowed =
      terms.least.empty() || Decimal::printed(largest) >= Decimal::parse(terms.least);
  if (largest <= 0 || !allowed) return "Nothing more fits; " + more;
  return "The largest epsilon that still fits with delta " + printed(delta) + " is " +
         printed(largest) + ".";
}

std::string payer_of(const Terms& terms) {
  if (terms.population.empty()) return terms.name;
  return terms.name + " (population \"" + terms.population + "\")";
}

[[noreturn]] void refuse_budget(const Terms& terms, const Filter& filter, const Spending& spent,
                                double epsilon, double delta) {
  throw Error(ErrorCode::budget_exhausted, "privacy budget of " + payer_of(terms) + " is exhausted",
              request_of(epsilon, delta) + "; spent are epsilon " +
                  rounded(filter.epsilon_spent(spent)) + " (declared " + spent.epsilon.str() +
                  ") and delta " + spent.delta.str() + "; the total is epsilon " + terms.epsilon +
                  " and delta " + terms.delta + ".",
              hint_of(terms, filter.largest_epsilon(spent, delta), delta,
                      "the owner may raise the budget."));
}

[[noreturn]] void refuse_cap(const Terms& terms, const Filter& filter, const Spending& spent,
                             const Decimal& through_grant, double epsilon, double delta) {
  const Decimal left = Decimal::parse(terms.cap) - through_grant;
  const double largest = std::min(largest_within(left), filter.largest_epsilon(spent, delta));
  throw Error(ErrorCode::budget_exhausted,
              "epsilon cap of role \"" + terms.granted_to + "\" on " + terms.name + " is exhausted",
              request_of(epsilon, delta) + "; charged through this grant is epsilon " +
                  through_grant.str() + "; the cap is epsilon " + terms.cap + ".",
              hint_of(terms, largest, delta,
                      "the owner may give the role a larger cap, whatever the budget: "
                      "dpmix.grant_access with another epsilon."));
}

void require_least(const Terms& terms, const Decimal& asked, double epsilon, double delta) {
  if (terms.least.empty() || asked >= Decimal::parse(terms.least)) return;
  throw Error(ErrorCode::invalid_parameter,
              "epsilon is below what role \"" + terms.granted_to + "\" may ask of " + terms.name,
              request_of(epsilon, delta) + "; a charge through this grant asks for epsilon " +
                  terms.least + " at least.",
              "Ask for more; the owner may lower min_epsilon with dpmix.grant_access().");
}

void require_rate(const Terms& terms, const ChargeRate& rate, long long second) {
  if (terms.per_minute == 0 || rate.last_minute(second) < terms.per_minute) return;
  throw Error(ErrorCode::ledger_unavailable,
              "role \"" + terms.granted_to + "\" asks " + terms.name + " too often",
              "The grant allows " + std::to_string(terms.per_minute) + " charges a minute.",
              "Try again in a minute; the owner may raise max_charges_per_minute with "
              "dpmix.grant_access().");
}

}  // namespace

void LedgerBook::clear() {
  *this = {};
}

void LedgerBook::load(long long account, Role granted_to, const Spending& spent) {
  Account& found = accounts_[account];
  found.spent = found.spent + spent;
  found.by_grant[granted_to].epsilon += spent.epsilon;
}

void LedgerBook::load_recent(long long account, Role granted_to, long long second,
                             long long charges) {
  accounts_[account].by_grant[granted_to].rate.add(second, charges);
}

void LedgerBook::merge(long long from, long long to) {
  const auto found = accounts_.find(from);
  if (found == accounts_.end()) return;
  const Account moved = std::move(found->second);
  accounts_.erase(found);
  filters_.erase(from);
  Account& account = accounts_[to];
  account.spent = account.spent + moved.spent;
  for (const auto& [role, through] : moved.by_grant) {
    ThroughGrant& grant = account.by_grant[role];
    grant.epsilon += through.epsilon;
    grant.rate.add(through.rate);
  }
}

void LedgerBook::require_grant(const Terms& terms, double epsilon, double delta, const Cost* own,
                               long long second, double asked_epsilon) {
  AccountFilter& known = filter_of(terms);
  const Quote& quote = quote_of(known, {epsilon, delta, own ? std::optional(*own) : std::nullopt});
  const Account& account = accounts_[terms.account];
  const auto found = account.by_grant.find(terms.role);
  const ThroughGrant none;
  const ThroughGrant& grant = found == account.by_grant.end() ? none : found->second;
  require_least(terms, std::max(quote.cost.epsilon, Decimal::printed(asked_epsilon)), epsilon,
                delta);
  require_rate(terms, grant.rate, second);
  if (!terms.cap.empty() && grant.epsilon + quote.cost.epsilon > Decimal::parse(terms.cap)) {
    refuse_cap(terms, known.filter, account.spent, grant.epsilon, epsilon, delta);
  }
}

// All of the blocks, or none.
void LedgerBook::admit_blocks(const Terms& terms, const AccountFilter& known, double epsilon,
                              double delta, std::span<const BlockRange> blocks) {
  BlockSums& sums = blocks_.at(terms.account);
  std::vector<BlockCharge> charges;
  const BlockSpending charge = BlockSpending::up(known.quote.cost);
  for (const BlockRange& range : blocks) charges.push_back({range, charge});
  for (const BlockCharge& asked : charges) {
    if (sums.admits(known.block_filter, {&asked, 1})) continue;
    const BlockSegment full = sums.tightest(known.block_filter, asked);
    Terms named = terms;
    const auto [first, last] = full.blocks;
    named.name =
        (first == last ? "block " + std::to_string(first)
                       : "blocks " + std::to_string(first) + " to " + std::to_string(last)) +
        " of " + terms.name;
    refuse_budget(named, known.filter, full.sums.decimals(), epsilon, delta);
  }
  sums.add(charges);
}

const Quote& LedgerBook::admit(const Terms& terms, double epsilon, double delta, const Cost* own,
                               long long second, double asked_epsilon,
                               std::span<const BlockRange> blocks) {
  require_grant(terms, epsilon, delta, own, second, asked_epsilon);
  AccountFilter& known = filter_of(terms);
  const Quote& quote = known.quote;  // of this request, as require_grant() left it
  Account& account = accounts_[terms.account];
  if (!blocks.empty()) {
    admit_blocks(terms, known, epsilon, delta, blocks);
  } else if (!known.filter.admits(account.spent, quote.cost)) {
    refuse_budget(terms, known.filter, account.spent, epsilon, delta);
  }
  account.spent = account.spent + quote.cost;
  ThroughGrant& grant = account.by_grant[terms.role];
  grant.epsilon += quote.cost.epsilon;
  if (terms.role != 0) grant.rate.add(second);
  return quote;
}

void LedgerBook::load_seen(long long account, Role granted_to, const Decimal& epsilon) {
  accounts_[account].by_grant[granted_to].epsilon += epsilon;
}

void LedgerBook::see(const Terms& terms, const Decimal& epsilon) {
  ThroughGrant& grant = accounts_[terms.account].by_grant[terms.role];
  if (!terms.cap.empty() && grant.epsilon + epsilon > Decimal::parse(terms.cap)) {
    throw Error(
        ErrorCode::budget_exhausted,
        "epsilon cap of role \"" + terms.granted_to + "\" on " + terms.name + " is exhausted",
        "An answer that another grant paid for takes epsilon " + epsilon.str() +
            " of the cap at its first sight; counted through this grant is epsilon " +
            grant.epsilon.str() + "; the cap is epsilon " + terms.cap + ".",
        "The owner may raise the cap with dpmix.grant_access().");
  }
  grant.epsilon += epsilon;
}

LedgerBook::AccountFilter& LedgerBook::filter_of(const Terms& terms) {
  auto known = filters_.find(terms.account);
  if (known != filters_.end() && known->second.accountant == terms.accountant &&
      known->second.epsilon == terms.epsilon && known->second.delta == terms.delta &&
      known->second.order == terms.order) {
    return known->second;
  }
  Filter filter(terms.accountant, Decimal::parse(terms.epsilon), Decimal::parse(terms.delta),
                terms.order);
  return filters_
      .insert_or_assign(terms.account, AccountFilter{terms.accountant,
                                                     terms.epsilon,
                                                     terms.delta,
                                                     terms.order,
                                                     filter,
                                                     BlockFilter(filter),
                                                     {},
                                                     {}})
      .first->second;
}

const Quote& LedgerBook::quote_of(AccountFilter& filter, const Asked& asked) {
  if (filter.asked == asked) return filter.quote;
  Spending cost = filter.filter.charge_of(asked.epsilon, asked.delta, asked.own);
  filter.quote = {cost, cost.epsilon.str(), cost.delta.str(), cost.amount.str(),
                  cost.added_delta.str()};
  filter.asked = asked;
  return filter.quote;
}

}  // namespace dpmix::pg
