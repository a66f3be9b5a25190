#include "pg/ledger_book.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

// largest: 0 when nothing fits.
std::string hint_of(double largest, double delta) {
  if (largest <= 0) return "Nothing more fits; the owner may raise the budget.";
  return "The largest epsilon that still fits with delta " + printed(delta) + " is " +
         printed(largest) + ".";
}

[[noreturn]] void refuse_budget(const Terms& terms, const Filter& filter, const Spending& spent,
                                double epsilon, double delta) {
  throw Error(ErrorCode::budget_exhausted, "privacy budget of " + terms.name + " is exhausted",
              request_of(epsilon, delta) + "; spent are epsilon " +
                  rounded(filter.epsilon_spent(spent)) + " (declared " + spent.epsilon.str() +
                  ") and delta " + spent.delta.str() + "; the total is epsilon " + terms.epsilon +
                  " and delta " + terms.delta + ".",
              hint_of(filter.largest_epsilon(spent, delta), delta));
}

[[noreturn]] void refuse_cap(const Terms& terms, const Filter& filter, const Spending& spent,
                             const Decimal& through_grant, double epsilon, double delta) {
  const Decimal left = Decimal::parse(terms.cap) - through_grant;
  const double largest = std::min(largest_within(left), filter.largest_epsilon(spent, delta));
  throw Error(ErrorCode::budget_exhausted,
              "epsilon cap of role \"" + terms.granted_to + "\" on " + terms.name + " is exhausted",
              request_of(epsilon, delta) + "; charged through this grant is epsilon " +
                  through_grant.str() + "; the cap is epsilon " + terms.cap + ".",
              hint_of(largest, delta));
}

}  // namespace

void LedgerBook::clear() {
  accounts_.clear();
  draft_.clear();
}

void LedgerBook::load(long long table, const std::string& granted_to, const Spending& spent) {
  Account& account = accounts_[table];
  account.spent = account.spent + spent;
  if (!granted_to.empty()) account.epsilon_by_grant[granted_to] += spent.epsilon;
}

Spending LedgerBook::charge(long long table, const Terms& terms, double epsilon, double delta,
                            const Cost* own) {
  const Filter& filter = filter_of(table, terms);
  const Spending cost =
      filter.charge_of(epsilon, delta, own ? std::optional<Cost>(*own) : std::nullopt);
  Account& account = draft_of(table);
  Decimal& through_grant = account.epsilon_by_grant[terms.granted_to];
  if (!terms.cap.empty() && through_grant + cost.epsilon > Decimal::parse(terms.cap)) {
    refuse_cap(terms, filter, account.spent, through_grant, epsilon, delta);
  }
  if (!filter.admits(account.spent, cost)) {
    refuse_budget(terms, filter, account.spent, epsilon, delta);
  }
  account.spent = account.spent + cost;
  through_grant += cost.epsilon;
  return cost;
}

void LedgerBook::keep_draft() {
  for (auto& [table, account] : draft_) accounts_[table] = std::move(account);
  draft_.clear();
}

void LedgerBook::drop_draft() {
  draft_.clear();
}

const Filter& LedgerBook::filter_of(long long table, const Terms& terms) {
  auto known = filters_.find(table);
  if (known != filters_.end() && known->second.epsilon == terms.epsilon &&
      known->second.delta == terms.delta && known->second.order == terms.order &&
      known->second.filter.accounting().accountant == terms.accountant) {
    return known->second.filter;
  }
  Filter filter(terms.accountant, Decimal::parse(terms.epsilon), Decimal::parse(terms.delta),
                terms.order);
  return filters_
      .insert_or_assign(table,
                        TableFilter{terms.epsilon, terms.delta, terms.order, std::move(filter)})
      .first->second.filter;
}

LedgerBook::Account& LedgerBook::draft_of(long long table) {
  auto [draft, fresh] = draft_.try_emplace(table);
  if (fresh) draft->second = accounts_[table];
  return draft->second;
}

}  // namespace dpmix::pg
