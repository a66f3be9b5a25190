// What a comparison counts of each of its tables, in one scan: of the synthetic one with the rights
// of who asks, as a query of its own would; of the protected one in passes.hpp.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/comparison/columns.hpp"

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
  int cells;            // cells of each ordered marginal; 0: no marginals
  bool moments;         // moments of all rows
  bool by_class;        // moments of each class of the label
  bool tested;          // rows by label and predicted class; the classifier is $1
  bool singles, pairs;  // tables of columns and of pairs of columns
  Numbers scores;       // the classifier made of them, whose hits are counted; size 0: none
};

// The states of the aggregates, in the memory of who asks.
struct CompareStates {
  int64 rows;
  Datum moments, by_class, tested, pairs;
  Datum* marginals;
};

// Reads the synthetic table in the caller, as the current user, before the charge. No classifier.
CompareStates* read_synthetic(const CompareScan* scan, Oid synthetic);
// Send states to the release's process, with what they were counted by, and receive them there:
// PV006 where the table's declarations changed in the meantime.
void put_states(StringInfo out, const CompareScan* scan, Oid synthetic,
                const CompareStates* states);
CompareStates* get_states(StringInfo in, const CompareScan* scan, Oid synthetic);

// A scan's select list; the bytes that its states take, as workers send them, as they are added up
// and as they are read; and the states, from the one row that `run` hands to its receiver.
const char* targets_of(const CompareScan* scan, bool sharded);
double state_bytes(const CompareScan* scan);
CompareStates* kept_states(const CompareScan* scan, Callable<void(RowReceiver)> run);

// Inside guard(): exact integers.
TableCounts counts_of(const CompareScan* scan, const CompareStates* states);
MomentTotals class_totals(const CompareStates* states);
BinCounts pair_counts(const CompareStates* states);

}  // namespace dpmix::pg
