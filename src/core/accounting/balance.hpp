// What the caller of a release may still charge to a table: the filter's verdict and the cap of the
// grant through which the caller has access, for planning and for the hint of a refusal.
//
// Enters: the sums charged so far, and one charge. Leaves: whether it fits, and how often.
#pragma once

#include <cstdint>
#include <optional>

#include "core/accounting/filter.hpp"

namespace dpmix {

// What a grant may spend of the budget, where its owner stated a share.
struct GrantPart {
  Filter filter;   // Filter::part
  Spending spent;  // charged through the grant; of blocks, to the fullest of them
};

struct Balance {
  Spending spent;                   // of the table, whoever charged it
  Decimal through_grant;            // epsilon charged through the caller's grant
  std::optional<Decimal> cap = {};  // on what is charged through that grant
  Decimal least = {};               // epsilon that a charge through it asks at least
  std::optional<GrantPart> part = {};
};
bool admits(const Filter& filter, const Balance& balance, const Spending& charge);

// How many such charges, one after the other and nothing else, would be admitted; at most
// 2^63 - 1. Exact under every accountant: sums only grow and a filter that refuses sums refuses all
// larger ones, so the last of n charges is admitted exactly when all n are.
std::int64_t charges_left(const Filter& filter, const Balance& balance, const Spending& charge);
// The same of the grant alone, whatever the table has.
std::int64_t charges_through_grant(const Balance& balance, const Spending& charge);

}  // namespace dpmix
