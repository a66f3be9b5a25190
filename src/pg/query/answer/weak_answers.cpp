#include "pg/query/answer/weak_answers.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/query/answer/one_answer.hpp"
#include "pg/query/answer/operands.hpp"
#include "pg/query/check/released_columns.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/safe/expression.hpp"

extern "C" {
#include "utils/float.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLevel = 0.95;
// An answer that is held at the end of its range is weak where its interval, were it not held there
// too, is wider than this part of the range; or, where such an interval is not known, where there
// are no more rows than so many times what the noise of their number reaches.
constexpr double kPartOfRange = 0.2, kReaches = 10;

struct Watched {  // an aggregate
  AnswerSource source;
  EndReach* reach;  // of each grouping set
  // Groups: within the noise of nothing, or of no rows; else of too wide an interval; else held at
  // an end of what the bounds allow, by noise.
  int64 nothing, few, unsure, held;

  int64 groups() const { return nothing + few + unsure + held; }
};

// Whether noise, not rows, put the answer at an end of its range, by noisy numbers alone. Where the
// rows themselves are there, and enough of them, it is not weak.
bool is_held(const Watched& watched, const EndReach& reach, const Int128* noisy) {
  const AnswerSource& source = watched.source;
  const Aggregate* row = source.aggregate->row;
  if (row->range == NULL || !row->shows_held) return false;
  const NoiseInterval ends = row->range(source);
  if (!(ends.low < ends.high)) return false;
  const double answer = number_in(source, noisy);
  if (answer > ends.low && answer < ends.high) return false;
  if (row->unheld == NULL) {
    const Int128 rows = noisy[source.statistics->first[source.parts.count]];
    return static_cast<double>(rows) <= kReaches * reach.count;
  }
  const NoiseInterval interval = row->unheld({source, noisy}, reach);
  return interval.high - interval.low > kPartOfRange * (ends.high - ends.low);
}

bool is_nothing(const Watched& watched, const EndReach& reach, const Int128* noisy) {
  const AggregateParts& parts = watched.source.parts;
  const bool counts = parts.count >= 0;
  const int statistic = counts ? parts.count : parts.sum;
  const Int128 number = noisy[watched.source.statistics->first[statistic]];
  return std::abs(static_cast<double>(number)) <= (counts ? reach.count : reach.sum);
}

const char* reason(const Watched& watched) {
  const struct {
    int64 groups;
    const char* what;
  } reasons[] = {
      {watched.nothing, "answer is within its noise of 0"},
      {watched.few, "number of rows is within its noise of 0"},
      {watched.unsure, "95% interval is wider than half of what the bounds allow"},
      {watched.held, "noise put the answer at an end of what the bounds allow"},
  };
  const char* text = "";
  for (const auto& one : reasons) {
    if (one.groups == watched.groups()) return psprintf("The %s.", one.what);
    if (one.groups == 0) continue;
    text = psprintf("%s%s " INT64_FORMAT " the %s", text, *text == '\0' ? "In" : ", in", one.groups,
                    one.what);
  }
  return psprintf("%s.", text);
}

// Counts and sums are watched where they are columns of the answer: beside averages they are told
// of already.
bool is_column(const QueryShape* shape, int aggregate) {
  const ReleasedColumns* released = shape->released;
  for (int c = 0; c < released->columns; c++) {
    const Operand* operand = operand_of(shape, released->column[c].expression);
    while (operand != NULL && operand->kind == Operand::Kind::places) operand = operand->left;
    if (operand != NULL && operand->aggregate == aggregate) return true;
  }
  return false;
}

// Half of what the bounds allow.
double width_that_says_little(const AnswerSource& source) {
  if (!source.parts.divides()) return 0;
  const auto range = source.aggregate->row->range;
  if (range == NULL) return get_float8_infinity();
  const NoiseInterval ends = range(source);
  return (ends.high - ends.low) / 2;
}

}  // namespace

struct WeakAnswers {
  const RowScope* scope;
  int64 groups;
  int count;
  Watched* watched;
};

WeakAnswers* weak_answers(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                          const QueryStatistics* statistics, const StatisticNoise* noise,
                          const CubeReach* sums) {
  if (client_min_messages > NOTICE) return NULL;
  WeakAnswers* made = (WeakAnswers*)palloc0(sizeof(WeakAnswers));
  made->scope = scope;
  made->watched = (Watched*)palloc0(sizeof(Watched) * Max(shape->aggregates, 1));
  const int sets = sets_of(groups);
  for (int i = 0; i < shape->aggregates; i++) {
    const AnswerSource source = answer_source(shape, statistics, noise, i);
    const bool divides = source.parts.divides();
    if (source.parts.cells >= 0 || !(divides || is_column(shape, i))) continue;
    EndReach* reach = (EndReach*)palloc(sizeof(EndReach) * sets);
    for (int set = 0; set < sets; set++) {
      const CubeReach* here = sums != NULL ? sums + set * statistics->count : NULL;
      reach[set] = guard([&] { return interval_reach(source, groups, set, kLevel, here); });
    }
    made->watched[made->count++] = {source, reach, 0, 0, 0, 0};
  }
  return made->count > 0 ? made : NULL;
}

void look_at_answers(WeakAnswers* weak, int set, const Int128* noisy) {
  if (weak == NULL) return;
  weak->groups++;
  for (int i = 0; i < weak->count; i++) {
    Watched* watched = &weak->watched[i];
    const AnswerSource& source = watched->source;
    if (!source.parts.divides()) {
      watched->nothing += is_nothing(*watched, watched->reach[set], noisy);
      continue;
    }
    const Int128 rows = noisy[source.statistics->first[source.parts.count]];
    if (static_cast<double>(rows) <= watched->reach[set].count) {
      watched->few++;
      continue;
    }
    const NoiseInterval interval = answer_interval(source, watched->reach[set], noisy);
    if (interval.high - interval.low > width_that_says_little(source)) {
      watched->unsure++;
    } else if (is_held(*watched, watched->reach[set], noisy)) {
      watched->held++;
    }
  }
}

void warn_of_answers(const WeakAnswers* weak) {
  for (int i = 0; weak != NULL && i < weak->count; i++) {
    const Watched* watched = &weak->watched[i];
    if (watched->groups() == 0) continue;
    const QueryAggregate* aggregate = watched->source.aggregate;
    const bool rows = aggregate->argument == NULL;
    const char* answer =
        psprintf("%s(%s)", aggregate->name, rows ? "*" : argument_text(weak->scope, aggregate));
    const char* where = weak->groups == 1
                            ? ""
                            : psprintf(" in " INT64_FORMAT " of " INT64_FORMAT " groups",
                                       watched->groups(), weak->groups);
    ereport(
        NOTICE,
        (errmsg("%s means little%s", answer, where), errdetail_internal("%s", reason(*watched)),
         errhint("Ask with a larger epsilon, or for fewer and larger groups. "
                 "dpmix.preview(..., group_rows => 500) shows the noise in a group of 500 rows.")));
  }
}

}  // namespace dpmix::pg
