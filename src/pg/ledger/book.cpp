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

// A gauge with six digits, for people to read.
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
std::string hint_of(const CommittedTerms& terms, double largest, double delta,
                    const std::string& more) {
  const bool allowed =
      terms.least.empty() || Decimal::printed(largest) >= Decimal::parse(terms.least);
  if (largest <= 0 || !allowed) return "Nothing more fits; " + more;
  return "The largest epsilon that still fits with delta " + printed(delta) + " is " +
         printed(largest) + ".";
}

std::string named_blocks(const BlockRange& blocks) {
  const auto [first, last] = blocks;
  if (blocks == kAlways) return "what is in no block";
  return first == last ? "block " + std::to_string(first)
                       : "blocks " + std::to_string(first) + " to " + std::to_string(last);
}

std::string payer_of(const CommittedTerms& terms) {
  if (terms.population.empty()) return terms.name;
  return terms.name + " (population \"" + terms.population + "\")";
}

[[noreturn]] void refuse_budget(const CommittedTerms& terms, const Filter& filter,
                                const Spending& spent, double epsilon, double delta) {
  throw Error(ErrorCode::budget_exhausted, "privacy budget of " + payer_of(terms) + " is exhausted",
              request_of(epsilon, delta) + "; spent are epsilon " +
                  rounded(filter.epsilon_spent(spent)) + " (declared " + spent.epsilon.str() +
                  ") and delta " + spent.delta.str() + "; the total is epsilon " + terms.epsilon +
                  " and delta " + terms.delta + ".",
              hint_of(terms, filter.largest_epsilon(spent, delta), delta,
                      "the owner may raise the budget."));
}

[[noreturn]] void refuse_cap(const CommittedTerms& terms, const Filter& filter,
                             const Spending& spent, const Decimal& through_grant, double epsilon,
                             double delta) {
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

std::string asks_more(const CommittedTerms& terms) {
  return "the owner may give the role \"" + terms.granted_to +
         "\" a larger share: dpmix.grant_access with another share.";
}

// spent: of the grant, or of a block through it. part: the share of the table's filter.
[[noreturn]] void refuse_share(const CommittedTerms& terms, const Filter& filter,
                               const Filter& part, const Spending& spent, double epsilon,
                               double delta) {
  throw Error(ErrorCode::budget_exhausted,
              "share of role \"" + terms.granted_to + "\" in the budget of " + payer_of(terms) +
                  " is exhausted",
              request_of(epsilon, delta) + "; the charges through this grant take " +
                  rounded(filter.share_spent(spent)) +
                  " of the budget, composed as all charges are; the grant allows " + terms.share +
                  " of it.",
              hint_of(terms, part.largest_epsilon(spent, delta), delta, asks_more(terms)));
}

void require_least(const CommittedTerms& terms, const Decimal& asked, double epsilon,
                   double delta) {
  if (terms.least.empty() || asked >= Decimal::parse(terms.least)) return;
  throw Error(ErrorCode::invalid_parameter,
              "epsilon is below what role \"" + terms.granted_to + "\" may ask of " + terms.name,
              request_of(epsilon, delta) + "; a charge through this grant asks for epsilon " +
                  terms.least + " at least.",
              "Ask for more; the owner may lower min_epsilon with dpmix.grant_access().");
}

void require_rate(const CommittedTerms& terms, const ChargeRate& rate, long long second) {
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
  ThroughGrant& grant = found.by_grant[granted_to];
  grant.spent = grant.spent + spent;
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
    grant.spent = grant.spent + through.spent;
    grant.rate.add(through.rate);
  }
}

void LedgerBook::require_grant(const CommittedTerms& terms, double epsilon, double delta,
                               const Cost* own, long long second, double asked_epsilon,
                               std::span<const BlockRange> blocks) {
  AccountFilter& known = filter_of(terms);
  const Quote& quote = quote_of(known, {epsilon, delta, own ? std::optional(*own) : std::nullopt});
  const Account& account = accounts_[terms.account];
  const auto found = account.by_grant.find(terms.role);
  const ThroughGrant none;
  const ThroughGrant& grant = found == account.by_grant.end() ? none : found->second;
  require_least(terms, std::max(quote.cost.epsilon, Decimal::printed(asked_epsilon)), epsilon,
                delta);
  require_rate(terms, grant.rate, second);
  if (!terms.cap.empty() && grant.spent.epsilon + quote.cost.epsilon > Decimal::parse(terms.cap)) {
    refuse_cap(terms, known.filter, account.spent, grant.spent.epsilon, epsilon, delta);
  }
  require_share(terms, known.filter, grant, quote.cost, blocks, epsilon, delta);
}

// Decides as the filter does for the whole table, or for each of its blocks, with its limits times
// the share. A policy: what is guaranteed follows from the table's own filter.
void LedgerBook::require_share(const CommittedTerms& terms, const Filter& filter,
                               const ThroughGrant& grant, const Spending& charge,
                               std::span<const BlockRange> blocks, double epsilon,
                               double delta) const {
  if (terms.share.empty()) return;
  const Filter part = filter.part(Decimal::parse(terms.share));
  if (blocks.empty()) {
    if (part.admits(grant.spent, charge)) return;
    refuse_share(terms, filter, part, grant.spent, epsilon, delta);
  }
  const BlockFilter block_part(part);
  for (const BlockRange& range : blocks) {
    const BlockCharge asked{range, BlockSpending::up(charge)};
    if (grant.blocks.value().admits(block_part, {&asked, 1})) continue;
    refuse_share(terms, filter, part, grant.blocks->tightest(block_part, asked).sums.decimals(),
                 epsilon, delta);
  }
}

void LedgerBook::add_to_grant(ThroughGrant& grant, const Spending& charge,
                              std::span<const BlockRange> blocks) {
  grant.spent = grant.spent + charge;
  if (!grant.blocks) return;
  const BlockSpending one = BlockSpending::up(charge);
  for (const BlockRange& range : blocks) {
    const BlockCharge paid{range, one};
    grant.blocks->add({&paid, 1});
  }
}

bool LedgerBook::has_granted_blocks(const CommittedTerms& terms) const {
  const auto account = accounts_.find(terms.account);
  if (account == accounts_.end()) return false;
  const auto grant = account->second.by_grant.find(terms.role);
  return grant != account->second.by_grant.end() && grant->second.blocks.has_value();
}

void LedgerBook::load_granted_blocks(const CommittedTerms& terms, BlockSums sums) {
  accounts_[terms.account].by_grant[terms.role].blocks = std::move(sums);
}

// All of the blocks, or none.
void LedgerBook::admit_blocks(const CommittedTerms& terms, const AccountFilter& known,
                              double epsilon, double delta, std::span<const BlockRange> blocks) {
  BlockSums& sums = blocks_.at(terms.account);
  std::vector<BlockCharge> charges;
  const BlockSpending charge = BlockSpending::up(known.quote.cost);
  for (const BlockRange& range : blocks) charges.push_back({range, charge});
  for (const BlockCharge& asked : charges) {
    if (sums.admits(known.block_filter, {&asked, 1})) continue;
    const BlockSegment full = sums.tightest(known.block_filter, asked);
    CommittedTerms named = terms;
    named.name = named_blocks(full.blocks) + " of " + terms.name;
    refuse_budget(named, known.filter, full.sums.decimals(), epsilon, delta);
  }
  sums.add(charges);
}

const Quote& LedgerBook::admit(const CommittedTerms& terms, double epsilon, double delta,
                               const Cost* own, long long second, double asked_epsilon,
                               std::span<const BlockRange> blocks) {
  require_grant(terms, epsilon, delta, own, second, asked_epsilon, blocks);
  AccountFilter& known = filter_of(terms);
  const Quote& quote = known.quote;  // this request's, as require_grant() left it
  Account& account = accounts_[terms.account];
  if (!blocks.empty()) {
    admit_blocks(terms, known, epsilon, delta, blocks);
  } else if (!known.filter.admits(account.spent, quote.cost)) {
    refuse_budget(terms, known.filter, account.spent, epsilon, delta);
  }
  account.spent = account.spent + quote.cost;
  ThroughGrant& grant = account.by_grant[terms.role];
  add_to_grant(grant, quote.cost, blocks);
  if (terms.role != 0) grant.rate.add(second);
  return quote;
}

void LedgerBook::load_seen(long long account, Role granted_to, const Spending& seen) {
  ThroughGrant& grant = accounts_[account].by_grant[granted_to];
  grant.spent = grant.spent + seen;
}

void LedgerBook::see(const CommittedTerms& terms, const Spending& charge,
                     std::span<const BlockRange> blocks) {
  const Filter& filter = filter_of(terms).filter;
  ThroughGrant& grant = accounts_[terms.account].by_grant[terms.role];
  if (!terms.cap.empty() && grant.spent.epsilon + charge.epsilon > Decimal::parse(terms.cap)) {
    throw Error(
        ErrorCode::budget_exhausted,
        "epsilon cap of role \"" + terms.granted_to + "\" on " + terms.name + " is exhausted",
        "An answer that another grant paid for takes epsilon " + charge.epsilon.str() +
            " of the cap at its first sight; counted through this grant is epsilon " +
            grant.spent.epsilon.str() + "; the cap is epsilon " + terms.cap + ".",
        "The owner may raise the cap with dpmix.grant_access().");
  }
  require_share(terms, filter, grant, charge, blocks, charge.epsilon.approximate(),
                charge.delta.approximate());
  add_to_grant(grant, charge, blocks);
}

LedgerBook::AccountFilter& LedgerBook::filter_of(const CommittedTerms& terms) {
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
