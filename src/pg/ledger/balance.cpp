#include "pg/ledger/balance.hpp"

#include <string>

#include "core/accounting/three_digits.hpp"
#include "core/base/error.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/sums.hpp"

namespace dpmix::pg {
namespace {

// One row: the sums of all charges, the epsilon through a grant, the cap and the floor of that
// grant.
Statement balance = {
    "SELECT coalesce(sum(g.epsilon), 0)::text, coalesce(sum(g.delta), 0)::text, "
    "       coalesce(sum(g.cost), 0)::text, coalesce(sum(g.cost_delta), 0)::text, "
    "       coalesce(sum(g.epsilon) FILTER (WHERE g.granted_to = $2), 0)::text, "
    "       (SELECT a.epsilon::text FROM dpmix.access a WHERE a.table_id = $1 AND a.role = $2), "
    "       coalesce((SELECT a.min_epsilon::text FROM dpmix.access a "
    "                 WHERE a.table_id = $1 AND a.role = $2), '0') "
    "FROM dpmix_internal.charge_total g WHERE g.table_id = $1"};

struct BalanceRow {
  Sums sums;
  const char* through_grant;
  const char* cap;  // NULL: none
  const char* least;
};

BalanceRow read_row(const ProtectedTable* table) {
  BalanceRow found = {};
  // No grant: the owner or a superuser, who has no cap.
  const char* role =
      OidIsValid(table->granted_to) ? GetUserNameFromId(table->granted_to, false) : "";
  as_catalog_owner([&] {
    (void)read_rows(balance, {table->id, name_value(role)});
    const ResultRow row;
    found = {sums_in(row, 1), row.text(5), row.text(6), row.text(7)};
  });
  return found;
}

std::string hint_of(double largest, double delta) {
  const std::string with_delta = " with delta " + Decimal::printed(delta).str();
  if (largest > 0) {
    return "The largest epsilon at which this call still fits" + with_delta + " is " +
           Decimal::printed(largest).str() + ".";
  }
  if (delta == 0) return "Nothing more fits; the owner may raise the budget.";
  return "Nothing fits" + with_delta + "; a smaller delta may, or the owner raises the budget.";
}

Balance read_balance(const ProtectedTable* table) {
  BalanceRow row = {};
  postgres([&] { row = read_row(table); });
  return {spending_of(row.sums), Decimal::parse(row.through_grant),
          row.cap == NULL ? std::nullopt : std::optional(Decimal::parse(row.cap)),
          Decimal::parse(row.least)};
}

}  // namespace

Filter filter_of(const ProtectedTable* table) {
  return Filter(table->accountant, Decimal::parse(table->epsilon), Decimal::parse(table->delta),
                table->order);
}

Outlook outlook_of(const ChargeRequest& request) {
  return guard([&] {
    const Filter filter = filter_of(request.table);
    const Spending charge =
        filter.charge_of(request.epsilon, request.delta,
                         request.own == NULL ? std::nullopt : std::optional(*request.own));
    const bool counts_cost = filter.accounting().counts_cost();
    return Outlook{(counts_cost ? charge.amount : charge.epsilon).approximate(),
                   (counts_cost ? charge.added_delta : charge.delta).approximate(),
                   filter.price(charge), charges_left(filter, read_balance(request.table), charge)};
  });
}

const char* largest_epsilon_hint(const ProtectedTable* table, const Repricing& call) {
  const char* hint = NULL;
  guard([&] {
    const Filter filter = filter_of(table);
    const Balance balance = read_balance(table);
    // Absent where an epsilon is too small for such a release, or for the grant: a larger one may
    // do.
    const auto fits = [&](double other) -> std::optional<bool> {
      try {
        const Spending charge = call.charge_at(filter, other);
        if (charge.epsilon < balance.least) return std::nullopt;
        return admits(filter, balance, charge);
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    if (fits(call.epsilon).value_or(true)) return;
    double largest = largest_of_three_digits(
        [&](double other) { return other >= call.epsilon || !fits(other).value_or(true); });
    if (!fits(largest).value_or(false)) largest = 0;
    hint = c_string_of(hint_of(largest, call.delta));
  });
  return hint;
}

}  // namespace dpmix::pg
