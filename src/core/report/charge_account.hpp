// How a charge was computed, told from its record and computed again.
//
// Enters: one row of the ledger, the sums of its table before it, the budgets that the table ever
// had: public numbers all. Leaves: lines to read, and whether the record is what this code
// computes. Nothing is decided here: what was admitted was decided by the ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/accounting/filter.hpp"
#include "core/base/adjacency.hpp"

namespace dpmix {

struct BudgetRecord {
  Decimal epsilon, delta;
  std::string set_by;  // who, when, why: for reading
};

// What a query's record says of the noise of one statistic.
struct RecordedNoise {
  double steps;  // sensitivity in lattice steps
  int cells;     // how many of its cells neighbours change at most
  bool together = false;  // its noise is that of several statistics (box_noise.hpp)
};

// What a tree model's record says of its columns.
struct RecordedTree {
  int columns = 0;  // 0: of no tree model
  int binned = 0, fine_levels = 0;
};

struct ChargeFacts {
  std::string mechanism;
  Accounting accounting;  // of the table
  Adjacency adjacency;
  Spending charge, before;
  std::int64_t charges_before;
  std::vector<BudgetRecord> budgets;  // oldest first, at least one
  std::size_t in_force;               // the one that was, by the clock
  std::vector<RecordedNoise> noise;   // of all statistics, or none: not on record
  int coins = 0;           // of a query that searched for its groups by coins (group_discovery.hpp)
  bool threshold = false;  // ... by the noisy numbers of their units, of Gaussian noise
  // The mu of a query that paid the difference to memory (core/query/upgrade.hpp); 0: of no such.
  double difference_mu = 0;
  RecordedTree tree = {};
  int classes = 2;         // of synthetic rows: one, or more
  std::string payer = {};  // blocks whose sums these are; empty: the table's
};

enum class RecordCheck {
  same,      // what this code computes
  rounding,  // but for the last digits: a library of another build or version
  unknown,   // not computed again: the record does not say enough
  differs,
};

struct AccountLine {
  std::string item, value, meaning;
};

struct ChargeAccount {
  RecordCheck cost;
  std::optional<std::size_t> budget;  // the one under which the filter admits it; none: it does not
  std::vector<AccountLine> lines;
};

ChargeAccount account_of(const ChargeFacts& facts);

}  // namespace dpmix
