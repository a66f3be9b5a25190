// Rows of an answer as a statement reads them: keys, then each aggregate, and beside it how wide
// its 95% interval is, as a share of its size. A width is NULL where it is not known, or nobody
// asks for it.
#pragma once

#include "pg/border/result_rows.hpp"
#include "pg/query/answer/column_intervals.hpp"
#include "pg/query/check/released_columns.hpp"

namespace dpmix::pg {

constexpr int aggregate_column(int keys, int place) {  // counted from 0
  return keys + 2 * place;
}

struct AnswerRows {
  const ResultRows* rows;
  int keys, aggregates;
  Datum* values;
  bool* nulls;
};

// PV005: the caller expects other columns.
AnswerRows answer_rows(const ReleasedColumns* released, const ResultRows* rows);
// intervals: of the group of this row; NULL: nobody asks for widths.
void put_answer_row(const AnswerRows& answer, const Datum* values, const bool* nulls,
                    const ColumnIntervals* intervals);

}  // namespace dpmix::pg
