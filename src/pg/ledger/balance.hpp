// What a table's ledger still admits to the caller, read from the catalog: for previews, and for
// the hint of a refusal. Free, and it tells no more than a refusal of the same release does: the
// sums of charges, which are functions of requests and never of rows.
#pragma once

#include "core/accounting/balance.hpp"
#include "pg/ledger/request.hpp"

namespace dpmix::pg {

struct Sums;

// Inside guard().
Filter filter_of(const ProtectedTable* table);

// The epsilon that the caller's role may charge in all; infinite where it has no cap.
double cap_of(const ProtectedTable* table);

struct PlannedCharge {
  double epsilon, delta;
  const Cost* own;  // NULL: the generic one
};
// Whether the cap and the share of the caller's role leave room for what was charged to others
// (`seen`) and for this. Of blocks the cap alone: the share is decided when they are seen.
bool leaves_cap(const ProtectedTable* table, const Sums& seen, const PlannedCharge& charged);

// What one release would take, and how many of its kind still fit.
struct Outlook {
  double cost, delta;  // what the filter adds up; `basic`: epsilon and delta
  double share;        // part of the whole budget: the filter's price
  int64 calls;
  bool capped;  // the cap of the caller's role ends before the budget does
};
constexpr int64 kForEver = PG_INT64_MAX;

// The blocks that the periods of a schedule name, one after the other; for_ever: what comes after
// them names no block more often than these do.
struct PeriodsAhead {
  const BlockRange* range;
  int count;
  bool for_ever;
};
// ahead: calls is how many of these fit, kForEver where that never ends; NULL, or the table has no
// blocks: how many of the same.
Outlook outlook_of(const ChargeRequest& request, const PeriodsAhead* ahead = NULL);

// The hint of PV001: the largest epsilon (three significant digits, rounded down) at which the call
// would fit. NULL when by now, or as the caller's transaction sees the budget, it does.
const char* largest_epsilon_hint(const ChargeRequest& request);  // which has a repricing

}  // namespace dpmix::pg
