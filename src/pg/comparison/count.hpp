// What a comparison counts of each of its tables, in one scan: of the synthetic one with the rights
// of who asks, as a query of its own would; of the protected one silently, with its owner's.
#pragma once

#include "pg/comparison/columns.hpp"
#include "pg/scan/silent_scan.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// A packed argument, in plain memory.
struct Numbers {
  const double* value;
  int size;  // 0: none
};

struct CompareScan {
  const CompareColumns* columns;
  int cells;            // of each ordered marginal; 0: no marginals
  bool moments;         // of all rows
  bool by_class;        // moments of each class of the label
  bool tested;          // rows by label and predicted class; the classifier is $1
  bool singles, pairs;  // tables of columns and of pairs of columns
  Numbers scores;       // of the classifier made of them, whose hits are counted; size 0: none
};

// The states of the aggregates, in the memory of who asks.
struct CompareStates {
  int64 rows;
  Datum moments, by_class, tested, pairs;
  Datum* marginals;
};

// In the caller, as the current user, before the charge. No classifier.
CompareStates* read_synthetic(const CompareScan* scan, Oid synthetic);
// On their way to the release's process, with what they were counted by. There, PV006 where the
// table's declarations changed in the meantime.
void put_states(StringInfo out, const CompareScan* scan, Oid synthetic,
                const CompareStates* states);
CompareStates* get_states(StringInfo in, const CompareScan* scan, Oid synthetic);

// Planned before the charge, run after it. condition: on the rows that are read; NULL: none.
SilentScan* plan_compare(const CompareScan* scan, const ProtectedTable* table,
                         Expr* condition = NULL);
CompareStates* run_compare(const CompareScan* scan, const SilentScan* plan, Numbers classifier);

// Inside guard(): exact integers.
TableCounts counts_of(const CompareScan* scan, const CompareStates* states);
MomentTotals class_totals(const CompareStates* states);
BinCounts pair_counts(const CompareStates* states);

}  // namespace dpmix::pg
