#include "pg/ledger/balance.hpp"

#include <string>

#include "core/accounting/three_digits.hpp"
#include "core/base/error.hpp"
#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// One row: the sums of all charges, the epsilon through a grant, the cap of that grant.
#define DPMIX_BALANCE(sums)                                                                    \
  "SELECT coalesce(sum(g.epsilon), 0)::text, coalesce(sum(g.delta), 0)::text, "                \
  "       coalesce(sum(g.cost), 0)::text, coalesce(sum(g.cost_delta), 0)::text, "              \
  "       coalesce(sum(g.epsilon) FILTER (WHERE g.granted_to = $2), 0)::text, "                \
  "       (SELECT a.epsilon::text FROM dpmix.access a WHERE a.table_id = $1 AND a.role = $2) " \
  "FROM " sums " g WHERE g.table_id = $1"

Statement balance = {DPMIX_BALANCE("dpmix_internal.charge_total"), 2, {INT8OID, NAMEOID}, NULL};
// The SQL objects of 0.2.0 and before have no view of the sums.
Statement balance_of_charges = {DPMIX_BALANCE("dpmix.charge"), 2, {INT8OID, NAMEOID}, NULL};

struct BalanceRow {
  const ProtectedTable* table;
  const char* sum[4];
  const char* through_grant;
  const char* cap;  // NULL: none
};

void find_balance(void* arg) {
  BalanceRow* row = (BalanceRow*)arg;
  NameData role = {};  // no grant: the owner or a superuser, who has no cap
  const Oid granted_to = row->table->granted_to;
  if (OidIsValid(granted_to)) namestrcpy(&role, GetUserNameFromId(granted_to, false));
  Datum values[] = {Int64GetDatum(row->table->id), NameGetDatum(&role)};
  read_rows(OidIsValid(catalog_table("ledger_checkpoint")) ? balance : balance_of_charges, values);
  for (int i = 0; i < 4; i++) row->sum[i] = result_text(0, i + 1);
  row->through_grant = result_text(0, 5);
  row->cap = result_text(0, 6);
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

}  // namespace

Filter filter_of(const ProtectedTable* table) {
  return Filter(table->accountant, Decimal::parse(table->epsilon), Decimal::parse(table->delta),
                table->order);
}

Balance read_balance(const ProtectedTable* table) {
  BalanceRow row = {};
  row.table = table;
  postgres([&] { as_catalog_owner(find_balance, &row); });
  const char* const* sum = row.sum;
  return {{Decimal::parse(sum[0]), Decimal::parse(sum[1]), Decimal::parse(sum[2]),
           Decimal::parse(sum[3])},
          Decimal::parse(row.through_grant),
          row.cap == NULL ? std::nullopt : std::optional(Decimal::parse(row.cap))};
}

Spending charge_of(const Filter& filter, double epsilon, double delta, const Cost* own) {
  return filter.charge_of(epsilon, delta, own == NULL ? std::nullopt : std::optional(*own));
}

Outlook outlook_of(const ProtectedTable* table, double epsilon, double delta, const Cost* own) {
  return guard([&] {
    const Filter filter = filter_of(table);
    const Spending charge = charge_of(filter, epsilon, delta, own);
    const bool counts_cost = filter.accounting().counts_cost();
    return Outlook{(counts_cost ? charge.amount : charge.epsilon).approximate(),
                   (counts_cost ? charge.added_delta : charge.delta).approximate(),
                   filter.price(charge), charges_left(filter, read_balance(table), charge)};
  });
}

void put_outlook(const Outlook& outlook, Datum* values) {
  values[0] = Float8GetDatum(outlook.cost);
  values[1] = Float8GetDatum(outlook.delta);
  values[2] = Float8GetDatum(outlook.share);
  values[3] = Int64GetDatum(outlook.calls);
}

const char* largest_epsilon_hint(const ProtectedTable* table, const Repricing& call) {
  const char* hint = NULL;
  guard([&] {
    const Filter filter = filter_of(table);
    const Balance balance = read_balance(table);
    // Absent where an epsilon is too small for such a release at all: a larger one may do.
    const auto fits = [&](double other) -> std::optional<bool> {
      try {
        return admits(filter, balance, call.charge_at(filter, other, call.release));
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    if (fits(call.epsilon).value_or(true)) return;
    double largest = largest_of_three_digits(
        [&](double other) { return other >= call.epsilon || !fits(other).value_or(true); });
    if (!fits(largest).value_or(false)) largest = 0;
    const std::string text = hint_of(largest, call.delta);
    const char* chars = text.c_str();
    postgres([&] { hint = pstrdup(chars); });
  });
  return hint;
}

}  // namespace dpmix::pg
