// What memory knows about a query that was priced, and what is therefore charged.
//
// hit: every statistic is there, at least as precise as this request would buy it: free. derived:
// so is what tables by more keys tell of it. upgrade: Gaussian noise; only what is missing is
// drawn and charged. miss: all of it. nothing: conditions leave no row. Which
// one it is depends on questions, laws, declarations, charges and clocks alone, never on rows or
// noisy values: docs/proofs/memory.md.
#pragma once

#include "core/query/upgrade.hpp"
#include "pg/query/recall/derive.hpp"
#include "pg/query/recall/found_groups.hpp"

namespace dpmix::pg {

enum class Remembered { miss, upgrade, derived, hit, nothing };
const char* name(Remembered verdict);
inline bool is_free(Remembered verdict) {
  return verdict == Remembered::hit || verdict == Remembered::derived ||
         verdict == Remembered::nothing;
}

struct StatisticRecall {
  int draws;  // that the answer is made of, besides a new one
  const StoredDraw** draw;
  double stored;         // their precision
  double new_deviation;  // that of the draw that is missing, in lattice steps; 0: none is
  double weight;         // the weight of its noise in that of a count of rows
};

struct Recall {
  bool keeps;  // memory is for this query at all
  Remembered verdict;
  MemoryTerms terms;
  const char* question;  // what keys go by instead of expressions; NULL: the expressions
  Digest query;          // what its statistics have in common
  TimestampTz at;
  Digest* key;  // each statistic's
  StatisticRecall* statistic;
  FoundGroups found;
  DerivedAnswer* derived;  // NULL: it is not
  QueryPlan* plan;         // for an upgrade: what each protected table is charged
  double mu;               // and that of its draws together
};

// What keeping an answer takes; without meaning where groups are discovered.
double answer_bytes(const QueryGroups* groups, const QueryStatistics* statistics);

// contents: noisy integers are read, too. In the caller's memory.
Recall recall(const PricedQuery* priced, bool contents);
// Finds the keys of a query whose groups were discovered, by the number of a new set of groups.
void find_keys(const PricedQuery* priced, const uint8* groups, Recall* recalled);
// The charges behind the draws of a hit or an upgrade, of a protected table; each once.
int64* charges_of(const PricedQuery* priced, const Recall& recalled, const ProtectedTable* of,
                  int* count);
// What the caller's grants pay at their first sight of what others were charged: texts.
List* sight_lines(const PricedQuery* priced, const Recall& recalled);

}  // namespace dpmix::pg
