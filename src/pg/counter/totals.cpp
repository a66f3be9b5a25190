// dpmix.counter: totals from stored numbers alone. Post-processing: free.
#include "core/base/poll.hpp"
#include "core/counter/factorisation.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/counter/steps.hpp"

extern "C" {
#include "utils/fmgrprotos.h"

PG_FUNCTION_INFO_V1(dpmix_counter);
}

namespace dpmix::pg {
namespace {

struct Window {  // steps from + 1 to each one up to `to`
  int from, to;
};

Window read_window(FunctionCallInfo fcinfo, int stored) {
  const int from = PG_GETARG_INT32(1), to = PG_ARGISNULL(2) ? stored : PG_GETARG_INT32(2);
  if (from >= 0 && from <= to && to <= stored) return {from, to};
  refuse_argument(
      "there is no such window of steps",
      psprintf("after_step is %d and to_step %d; steps 1 to %d are stored.", from, to, stored),
      "Give 0 <= after_step <= to_step <= the last stored step.");
}

// One number of each step, in the order of steps.
double* series_of(double** measured, int steps, int number) {
  double* series = (double*)palloc(sizeof(double) * (steps + 1));
  for (int i = 0; i < steps; i++) series[i] = measured[i][number];
  return series;
}

struct Totals {
  const Counter* counter;
  StoredSteps stored;
  Window window;
  double** series;  // [group * statistics + statistic]
  Datum* key;       // each group's
};

Totals read_totals(FunctionCallInfo fcinfo) {
  Totals totals = {};
  const Counter* counter = totals.counter = open_counter(text_argument(fcinfo, 0), true);
  totals.stored = stored_steps(counter->id);
  totals.window = read_window(fcinfo, totals.stored.count);
  const int numbers = counter->groups * counter->statistics, steps = totals.window.to;
  double** measured = measurements(counter, steps);
  totals.series = (double**)palloc(sizeof(double*) * numbers);
  for (int i = 0; i < numbers; i++) totals.series[i] = series_of(measured, steps, i);
  totals.key = (Datum*)palloc(sizeof(Datum) * counter->groups);
  for (int g = 0; g < counter->groups; g++) {
    totals.key[g] = DirectFunctionCall1(jsonb_in, CStringGetDatum(counter->group[g]));
  }
  return totals;
}

// Up to one step.
void put_totals(const Totals& totals, const ResultRows& rows, int to, const double* total,
                const double* reach) {
  const Counter* counter = totals.counter;
  for (int g = 0; g < counter->groups; g++) {
    for (int c = 0; c < counter->columns; c++) {
      const int i = counter->statistic[c];
      const double unit = counter->unit[c], middle = total[g * counter->statistics + i] * unit,
                   half = reach[i] * unit;
      add_row(rows, {(int32)to, totals.stored.until[to - 1], Value(JSONBOID, totals.key[g]),
                     counter->column[c], middle, middle - half, middle + half});
    }
  }
}

void put_all(const Totals& totals, const ResultRows& rows) {
  const Counter* counter = totals.counter;
  const int numbers = counter->groups * counter->statistics;
  double* total = (double*)palloc(sizeof(double) * numbers);
  double* reach = (double*)palloc(sizeof(double) * counter->statistics);
  CounterFactorisation* weights = context_object<CounterFactorisation>(
      [&] { return new CounterFactorisation(counter->steps); });
  for (int to = totals.window.from + 1; to <= totals.window.to; to++) {
    guard([&] {
      for (int i = 0; i < numbers; i++) {
        poll();
        const std::span<const double> series(totals.series[i], (std::size_t)to);
        total[i] = weights->estimate(series, totals.window.from, to);
      }
      for (int i = 0; i < counter->statistics; i++) {
        reach[i] = weights->reach_95(totals.window.from, to, counter->deviation[i]);
      }
    });
    put_totals(totals, rows, to, total, reach);
  }
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_counter(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Totals totals = read_totals(fcinfo);
  put_all(totals, begin_rows(fcinfo));
  return (Datum)0;
}
