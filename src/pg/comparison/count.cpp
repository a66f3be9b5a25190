#include "pg/comparison/count.hpp"

#include "core/comparison/pair_tables.hpp"
#include "core/mixture/methods/method.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/message.hpp"
#include "pg/border/value.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/caller_scan.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/moment_state.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

void append_numbers(StringInfo sql, const double* value, std::size_t size) {
  appendStringInfoString(sql, "'{");
  for (std::size_t i = 0; i < size; i++) {
    appendStringInfo(sql, "%s%.17g", i > 0 ? "," : "", value[i]);
  }
  appendStringInfoString(sql, "}'::pg_catalog.float8[]");
}

// What aggregates see rows from: public numbers, written into the query. by_class: of what the
// classifier sees.
void append_box(StringInfo sql, const CompareColumns* columns, bool by_class) {
  guard([&] {
    const ComparedColumns known = public_columns(columns);
    const std::vector<double> packed = (by_class ? known.coded_box() : known.box()).pack();
    const double* value = packed.data();
    const std::size_t size = packed.size();
    postgres([&] { append_numbers(sql, value, size); });
  });
}

// A number, or that of a category; NULL where it is missing.
void append_value(StringInfo sql, const CompareColumns* columns, int column) {
  const int numbers = label_column(columns) - columns->categorical;
  if (column < numbers) {
    append_feature(sql, columns->numbers, column);
  } else {
    append_class(sql, column == label_column(columns) ? columns->label
                                                      : columns->categories[column - numbers]);
    appendStringInfoString(sql, "::pg_catalog.float8");
  }
}

void append_marginals(StringInfo sql, const CompareScan* scan, bool sharded) {
  guard([&] {
    for (const Marginal& marginal : marginals_of(public_columns(scan->columns), scan->cells)) {
      const CellGrid grid = marginal.grid();
      const std::vector<double> packed = Pass{PassKind::cells, grid.frame, grid.extra()}.pack();
      const double* value = packed.data();
      const std::size_t size = packed.size();
      const int column = marginal.column;
      postgres([&] {
        appendStringInfoString(sql, ", ");
        begin_statistic(sql, "cells", sharded);
        appendStringInfoString(sql, "dpmix_internal.row_vector(");
        append_value(sql, scan->columns, column);
        appendStringInfoString(sql, "), ");
        append_numbers(sql, value, size);
        end_statistic(sql, "cells", sharded);
      });
    }
  });
}

bool counts_pairs(const CompareScan* scan) {
  if (!scan->singles && !scan->pairs && scan->scores.size == 0) return false;
  return guard([&] { return !paired_columns(public_columns(scan->columns)).empty(); });
}

void append_pairs(StringInfo sql, const CompareScan* scan) {
  guard([&] {
    const ComparedColumns known = public_columns(scan->columns);
    const char* before = "ARRAY[";
    for (const int column : paired_columns(known)) {
      postgres([&] {
        appendStringInfoString(sql, before);
        append_value(sql, scan->columns, column);
      });
      before = ", ";
    }
    PairShape shape = pair_shape(known);
    shape.singles = scan->singles;
    shape.pairs = scan->pairs;
    shape.scores.assign(scan->scores.value, scan->scores.value + scan->scores.size);
    const std::vector<double> packed = shape.pack();
    const double* value = packed.data();
    const std::size_t size = packed.size();
    postgres([&] {
      appendStringInfoString(sql, "]::pg_catalog.float8[], ");
      append_numbers(sql, value, size);
    });
  });
}

// One number for each category but the first: whether the row is of it.
void append_indicators(StringInfo sql, const ModelColumns* category) {
  for (int k = 1; k < category->classes; k++) {
    if (sql->data[sql->len - 1] != '(') appendStringInfoString(sql, ", ");
    appendStringInfoString(sql, "dpmix_internal.to_float8(");
    append_class(sql, category);
    appendStringInfo(sql, " OPERATOR(pg_catalog.=) %d)", k);
  }
}

// What the classifier sees.
void append_coded(StringInfo sql, const CompareColumns* columns) {
  appendStringInfoString(sql, "dpmix_internal.row_vector(");
  for (int i = 0; columns->numbers != NULL && i < columns->numbers->features; i++) {
    if (i > 0) appendStringInfoString(sql, ", ");
    append_feature(sql, columns->numbers, i);
  }
  guard([&] {
    for (const int i : public_columns(columns).coded()) {
      postgres([&] { append_indicators(sql, columns->categories[i]); });
    }
  });
  appendStringInfoChar(sql, ')');
}

void append_by_class(StringInfo sql, const CompareScan* scan) {
  append_class(sql, scan->columns->label);
  appendStringInfoString(sql, ", ");
  append_coded(sql, scan->columns);
  appendStringInfoString(sql, ", ");
}

// sharded: of a table whose rows lie in shards of Citus's.
int marginals_in(const CompareScan* scan) {
  if (scan->cells == 0) return 0;
  return guard([&] {
    return static_cast<int>(marginals_of(public_columns(scan->columns), scan->cells).size());
  });
}

// Copies the states from the one row of a scan.
void copy_states(const CompareScan* scan, const Datum* values, int marginals, MemoryContext context,
                 CompareStates* states) {
  MemoryContext outer = MemoryContextSwitchTo(context);
  states->rows = DatumGetInt64(*values++);
  const auto copy = [&values] { return PointerGetDatum(PG_DETOAST_DATUM_COPY(*values++)); };
  if (scan->moments) states->moments = copy();
  if (scan->by_class) states->by_class = copy();
  if (scan->tested) states->tested = copy();
  if (counts_pairs(scan)) states->pairs = copy();
  for (int i = 0; i < marginals; i++) states->marginals[i] = copy();
  MemoryContextSwitchTo(outer);
}

MomentTotals totals_of(Datum state) {
  std::optional<ClassMoments> moments;
  postgres([&] { moments = read_moment_state(state); });
  return moments->totals();
}

BinCounts bins_of(Datum state) {
  const CountState* counts = NULL;
  postgres([&] { counts = read_count_state(state); });
  return counts_of(counts);
}

}  // namespace

const char* targets_of(const CompareScan* scan, bool sharded) {
  const CompareColumns* columns = scan->columns;
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "pg_catalog.count(*)");
  const auto append = [&](const char* aggregate, const auto& append_arguments) {
    appendStringInfoString(&sql, ", ");
    begin_statistic(&sql, aggregate, sharded);
    append_arguments();
    end_statistic(&sql, aggregate, sharded);
  };
  if (scan->moments) {
    append("class_moments", [&] {
      appendStringInfoString(&sql, "0, ");
      append_features(&sql, columns->numbers);
      appendStringInfoString(&sql, ", ");
      append_box(&sql, columns, false);
    });
  }
  if (scan->by_class) {
    append("class_moments", [&] {
      append_by_class(&sql, scan);
      append_box(&sql, columns, true);
    });
  }
  if (scan->tested) {
    append("class_clusters", [&] {
      append_by_class(&sql, scan);
      appendStringInfoString(&sql, "$1");
    });
  }
  if (counts_pairs(scan)) append("pair_counts", [&] { append_pairs(&sql, scan); });
  if (scan->cells > 0) append_marginals(&sql, scan, sharded);
  return sql.data;
}

CompareStates* kept_states(const CompareScan* scan, Callable<void(RowReceiver)> run) {
  const MemoryContext context = CurrentMemoryContext;
  const int marginals = marginals_in(scan);
  CompareStates* states = (CompareStates*)palloc0(sizeof(CompareStates));
  states->marginals = (Datum*)palloc0(Max(marginals, 1) * sizeof(Datum));
  run([&](const Datum* values, const bool*) {
    copy_states(scan, values, marginals, context, states);
  });
  return states;
}

CompareStates* read_synthetic(const CompareScan* scan, Oid synthetic) {
  return kept_states(scan, [&](RowReceiver receive) {
    query_synthetic(targets_of(scan, has_shards(synthetic)), synthetic, receive);
  });
}

void put_states(StringInfo out, const CompareScan* scan, Oid synthetic,
                const CompareStates* states) {
  const auto put = [out](Datum state) { put_varlena(out, DatumGetPointer(state)); };
  const char* targets = targets_of(scan, has_shards(synthetic));
  appendBinaryStringInfo(out, targets, (int)strlen(targets) + 1);
  pq_sendint64(out, states->rows);
  if (scan->moments) put(states->moments);
  if (scan->by_class) put(states->by_class);
  if (counts_pairs(scan)) put(states->pairs);
  for (int i = 0; i < marginals_in(scan); i++) put(states->marginals[i]);
}

CompareStates* get_states(StringInfo in, const CompareScan* scan, Oid synthetic) {
  const auto get = [in] { return PointerGetDatum(get_varlena(in)); };
  if (strcmp(pq_getmsgrawstring(in), targets_of(scan, has_shards(synthetic))) != 0) {
    refuse(ErrorCode::not_protected, "the table's declarations changed in the meantime",
           "They were others while the synthetic table was read.", "Try again.");
  }
  CompareStates* states = (CompareStates*)palloc0(sizeof(CompareStates));
  states->rows = pq_getmsgint64(in);
  if (scan->moments) states->moments = get();
  if (scan->by_class) states->by_class = get();
  if (counts_pairs(scan)) states->pairs = get();
  const int marginals = marginals_in(scan);
  states->marginals = (Datum*)palloc0(Max(marginals, 1) * sizeof(Datum));
  for (int i = 0; i < marginals; i++) states->marginals[i] = get();
  return states;
}

double state_bytes(const CompareScan* scan) {
  constexpr double kStates = 4;
  const bool pairs = counts_pairs(scan);
  const double marginals = 2. * scan->cells * marginals_in(scan);
  const double counts = guard([&] {
    const ComparedColumns known = public_columns(scan->columns);
    const auto sums = [](const MomentFrame& frame) {
      const double side = frame.features + 8;
      return 2 * side * side * (double)frame.classes.size();
    };
    return (pairs ? (double)pair_shape(known).bins() : 0) +
           (scan->moments ? sums(known.box()) : 0) + (scan->by_class ? sums(known.coded_box()) : 0);
  });
  return kStates * sizeof(int64) * (counts + marginals);
}

BinCounts pair_counts(const CompareStates* states) {
  return states->pairs != (Datum)0 ? bins_of(states->pairs) : BinCounts();
}

TableCounts counts_of(const CompareScan* scan, const CompareStates* states) {
  TableCounts counts;
  counts.rows = states->rows;
  if (scan->moments) counts.moments = totals_of(states->moments);
  if (scan->tested) counts.tested = bins_of(states->tested);
  counts.pairs = pair_counts(states);
  if (scan->cells > 0) {
    const auto marginals = marginals_of(public_columns(scan->columns), scan->cells);
    for (std::size_t m = 0; m < marginals.size(); m++) {
      counts.marginals.push_back(bins_of(states->marginals[m]));
    }
  }
  return counts;
}

MomentTotals class_totals(const CompareStates* states) {
  return totals_of(states->by_class);
}

}  // namespace dpmix::pg
