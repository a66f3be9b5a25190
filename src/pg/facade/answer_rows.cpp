#include "pg/facade/answer_rows.hpp"

#include <cmath>

extern "C" {
#include "catalog/pg_type.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

AnswerRows answer_rows(const ReleasedColumns* released, const ResultRows* rows) {
  const int columns = released->columns, aggregates = rows->type->natts - columns;
  const int keys = columns - aggregates;
  bool fits = aggregates >= 0 && keys >= 0;
  for (int i = 0; fits && i < aggregates; i++) {
    fits = TupleDescAttr(rows->type, aggregate_column(keys, i) + 1)->atttypid == FLOAT8OID;
  }
  if (!fits) check_columns(released, rows->type);
  TupleDesc own = CreateTemplateTupleDesc(columns);  // the columns without widths
  for (int i = 0; i < columns; i++) {
    const int place = i < keys ? i : aggregate_column(keys, i - keys);
    TupleDescCopyEntry(own, (AttrNumber)(i + 1), rows->type, (AttrNumber)(place + 1));
  }
  check_columns(released, own);
  return {rows, keys, aggregates, (Datum*)palloc0(sizeof(Datum) * rows->type->natts),
          (bool*)palloc0(sizeof(bool) * rows->type->natts)};
}

void put_answer_row(const AnswerRows& answer, const Datum* values, const bool* nulls,
                    const ColumnIntervals* intervals) {
  const int keys = answer.keys;
  memcpy(answer.values, values, sizeof(Datum) * keys);
  memcpy(answer.nulls, nulls, sizeof(bool) * keys);
  for (int i = 0; i < answer.aggregates; i++) {
    const int place = aggregate_column(keys, i);
    answer.values[place] = values[keys + i];
    answer.nulls[place] = nulls[keys + i];
    const double width = intervals == NULL ? NAN : relative_width(intervals, keys + i);
    answer.values[place + 1] = Float8GetDatum(width);
    answer.nulls[place + 1] = std::isnan(width) || nulls[keys + i];
  }
  tuplestore_putvalues(answer.rows->store, answer.rows->type, answer.values, answer.nulls);
}

}  // namespace dpmix::pg
