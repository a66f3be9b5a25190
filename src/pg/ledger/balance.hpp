// What a table's ledger still admits to the caller, read from the catalog: for previews, and for
// the hint of a refusal. Free, and it tells no more than a refusal of the same release does: the
// sums of charges, which are functions of requests and never of rows.
#pragma once

#include "core/accounting/balance.hpp"
#include "pg/ledger/request.hpp"

namespace dpmix::pg {

// Inside guard().
Filter filter_of(const ProtectedTable* table);

// What one release would take, and how many of its kind still fit.
struct Outlook {
  double cost, delta;  // what the filter adds up; `basic`: epsilon and delta
  double share;        // of the whole budget: the filter's price
  int64 calls;
};
Outlook outlook_of(const ChargeRequest& request);

// The hint of PV001: the largest epsilon (three significant digits, rounded down) at which the call
// would fit. NULL when by now, or as the caller's transaction sees the budget, it does.
const char* largest_epsilon_hint(const ProtectedTable* table, const Repricing& call);

}  // namespace dpmix::pg
