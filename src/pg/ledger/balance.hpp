// What a table's ledger still admits to the caller, read from the catalog: for previews, and for
// the hint of a refusal. Free, and it tells no more than a refusal of the same release does: the
// sums of charges, which are functions of requests and never of rows.
#pragma once

#include "core/accounting/balance.hpp"
#include "core/accounting/cost.hpp"
#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// Both inside guard(). The sums are the newest committed ones, whatever the caller's snapshot.
Filter filter_of(const ProtectedTable* table);
Balance read_balance(const ProtectedTable* table);

// The charge of a release with or without (NULL) a profile of its own. Inside guard().
Spending charge_of(const Filter& filter, double epsilon, double delta, const Cost* own);

// What one release would take, and how many of its kind still fit.
struct Outlook {
  double cost, delta;  // what the filter adds up; `basic`: epsilon and delta
  double share;        // of the whole budget: the filter's price
  int64 calls;
};
constexpr int kOutlookColumns = 4;
Outlook outlook_of(const ProtectedTable* table, double epsilon, double delta, const Cost* own);
void put_outlook(const Outlook& outlook, Datum* values);

// A call, as its caller made it, and what it would be charged at another epsilon.
struct Repricing {
  double epsilon, delta;
  // Inside guard(); Error PV005 where no such release can be made.
  Spending (*charge_at)(const Filter& filter, double epsilon, const void* release);
  const void* release;
};
// The hint of PV001: the largest epsilon (three significant digits, rounded down) at which the call
// would fit. NULL when by now, or as the caller's transaction sees the budget, it does.
const char* largest_epsilon_hint(const ProtectedTable* table, const Repricing& call);

}  // namespace dpmix::pg
