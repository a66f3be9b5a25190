#include "pg/ledger/book.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

// largest: 0 when nothing fits.
std::string hint_of(const Terms& terms, double largest, double delta) {
  const bool allowed =
      terms.least.empty() || Decimal::printed(largest) >= Decimal::parse(terms.least);
  if (largest <= 0 || !allowed) return "Nothing more fits; the owner may raise the budget.";
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
              hint_of(terms, filter.largest_epsilon(spent, delta), delta));
}

[[noreturn]] void refuse_cap(const Terms& terms, const Filter& filter, const Spending& spent,
                             const Decimal& through_grant, double epsilon, double delta) {
  const Decimal left = Decimal::parse(terms.cap) - through_grant;
  const double largest = std::min(largest_within(left), filter.largest_epsilon(spent, delta));
  throw Error(ErrorCode::budget_exhausted,
              "epsilon cap of role \"" + terms.granted_to + "\" on " + terms.name + " is exhausted",
              request_of(epsilon, delta) + "; charged through this grant is epsilon " +
                  through_grant.str() + "; the cap is epsilon " + terms.cap + ".",
              hint_of(terms, largest, delta));
}

void require_least(const Terms& terms, const Quote& quote, double epsilon, double delta) {
  if (terms.least.empty() || quote.cost.epsilon >= Decimal::parse(terms.least)) return;
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

void LedgerBook::load(long long table, const std::string& granted_to, const Spending& spent) {
  Account& account = accounts_[table];
  account.spent = account.spent + spent;
  account.by_grant[granted_to].epsilon += spent.epsilon;
}

void LedgerBook::load_recent(long long table, const std::string& granted_to, long long second,
                             long long charges) {
  accounts_[table].by_grant[granted_to].rate.add(second, charges);
}

const Quote& LedgerBook::admit(long long table, const Terms& terms, double epsilon, double delta,
                               const Cost* own, long long second) {
  TableFilter& known = filter_of(table, terms);
  const Filter& filter = known.filter;
  const Quote& quote = quote_of(known, {epsilon, delta, own ? std::optional(*own) : std::nullopt});
  Account& account = accounts_[table];
  ThroughGrant& grant = account.by_grant[terms.granted_to];
  require_least(terms, quote, epsilon, delta);
  require_rate(terms, grant.rate, second);
  if (!terms.cap.empty() && grant.epsilon + quote.cost.epsilon > Decimal::parse(terms.cap)) {
    refuse_cap(terms, filter, account.spent, grant.epsilon, epsilon, delta);
  }
  if (!filter.admits(account.spent, quote.cost)) {
    refuse_budget(terms, filter, account.spent, epsilon, delta);
  }
  account.spent = account.spent + quote.cost;
  grant.epsilon += quote.cost.epsilon;
  if (terms.per_minute > 0) grant.rate.add(second);
  return quote;
}

LedgerBook::TableFilter& LedgerBook::filter_of(long long table, const Terms& terms) {
  auto known = filters_.find(table);
  if (known != filters_.end() && known->second.accountant == terms.accountant &&
      known->second.epsilon == terms.epsilon && known->second.delta == terms.delta &&
      known->second.order == terms.order) {
    return known->second;
  }
  Filter filter(terms.accountant, Decimal::parse(terms.epsilon), Decimal::parse(terms.delta),
                terms.order);
  return filters_
      .insert_or_assign(
          table,
          TableFilter{
              terms.accountant, terms.epsilon, terms.delta, terms.order, std::move(filter), {}, {}})
      .first->second;
}

const Quote& LedgerBook::quote_of(TableFilter& filter, const Asked& asked) {
  if (filter.asked == asked) return filter.quote;
  Spending cost = filter.filter.charge_of(asked.epsilon, asked.delta, asked.own);
  filter.quote = {cost, cost.epsilon.str(), cost.delta.str(), cost.amount.str(),
                  cost.added_delta.str()};
  filter.asked = asked;
  return filter.quote;
}

}  // namespace dpmix::pg
