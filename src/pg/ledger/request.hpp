// What a release asks of the ledger.
#pragma once

#include "core/accounting/block_sums.hpp"
#include "core/accounting/filter.hpp"
#include "pg/border/callable.hpp"
#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// What the same call would be charged at another epsilon. Inside guard(); Error PV005 where no such
// release can be made.
struct Repricing {
  double epsilon, delta;  // as the caller gave them
  Callable<Spending(const Filter& filter, double epsilon)> charge_at;
};

constexpr int kMostTables = 8;  // in one charge

struct ChargeRequest {
  const ProtectedTable* table;
  const char* kind;  // a word of core/release/kinds
  const char* mechanism;
  double epsilon, delta;   // the guarantee of the whole release
  const Cost* own;         // the release's own, as the table adds up, or NULL: the generic one
  const char* parameters;  // a JSON object; long texts in it already clipped (see kParameterBytes)
  const char* release = NULL;  // its name, or NULL
  // The whole epsilon of a request of which only a part is charged: it is what the least that a
  // grant may ask is compared with. 0: epsilon.
  double asked_epsilon = 0;
  const Repricing* repricing = NULL;  // for the hint of PV001; NULL: that of a plain release
  // Other tables of the same account and grant that the release is about, all but the first table.
  const ProtectedTable* const* others = NULL;
  int other_count = 0;  // below kMostTables
  // Which blocks of the tables it reads, in order and apart; where a table has blocks there are
  // some in each charge, or the one of no number. What is always read is not among them
  // (paid_blocks.hpp).
  const BlockRange* blocks = NULL;
  int block_count = 0;  // at most kMostRanges
};
constexpr Size kParameterBytes = 1000;

}  // namespace dpmix::pg
