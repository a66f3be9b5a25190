#include "pg/query/answer/weak_answers.hpp"

#include <limits>

#include "pg/border/guard.hpp"
#include "pg/query/answer/values.hpp"
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
  const QueryAggregate* aggregate;
  const AggregateParts* parts;
  EndReach* reach;  // of each grouping set
  double wide;      // a width that is half of what the bounds allow
  // Groups: within the noise of no rows; else of too wide an interval; else held at an end of what
  // the bounds allow, by noise.
  int64 few, unsure, held;

  int64 groups() const { return few + unsure + held; }
};

// A correlation can be anything between -1 and 1; nothing bounds a line.
double half_of_pairs(AggregateKind kind, const AggregateParts& parts,
                     const QueryStatistics* statistics) {
  const auto reach = [&](int sum) {
    return (statistics->statistic[sum].upper - statistics->statistic[sum].lower) / 2;
  };
  return kind == AggregateKind::covariance    ? reach(parts.sum) * reach(parts.y_sum)
         : kind == AggregateKind::correlation ? 1
                                              : get_float8_infinity();
}

double half_of_range(AggregateKind kind, const QueryStatistic* sum) {
  const double half = (sum->upper - sum->lower) / 2;
  return kind == AggregateKind::mean     ? half
         : kind == AggregateKind::stddev ? half / 2
                                         : half * half / 2;
}

// The ends of what an aggregate's answer can be: low >= high where nothing bounds it.
Interval ends_of(AggregateKind kind, const QueryStatistic* sum) {
  const double half = (sum->upper - sum->lower) / 2;
  switch (kind) {
    case AggregateKind::mean:
      return {sum->lower, sum->upper};
    case AggregateKind::stddev:
      return {0, half};
    case AggregateKind::variance:
      return {0, half * half};
    case AggregateKind::correlation:
      return {-1, 1};
    default:
      return {0, 0};
  }
}

// Of noisy numbers alone: whether noise, not rows, put the answer at an end of its range. Where the
// rows themselves are there, and enough of them, it is not weak.
bool is_held(const Watched& watched, const QueryStatistics* statistics, const EndReach& reach,
             const Int128* noisy) {
  const AggregateKind kind = watched.aggregate->kind;
  const AggregateParts& parts = *watched.parts;
  const QueryStatistic& sum = statistics->statistic[parts.sum];
  const Interval ends = ends_of(kind, &sum);
  if (!(ends.low < ends.high)) return false;
  const double answer = number_of(kind, answer_in(kind, parts, statistics, noisy));
  if (answer > ends.low && answer < ends.high) return false;
  const Int128 rows = noisy[statistics->first[parts.count]];
  if (kind != AggregateKind::mean) return static_cast<double>(rows) <= kReaches * reach.count;
  constexpr double endless = std::numeric_limits<double>::infinity();
  const Interval interval = mean_interval(sum.lattice, -endless, endless, rows, reach.count,
                                          noisy[statistics->first[parts.sum]], reach.sum);
  return interval.high - interval.low > kPartOfRange * (ends.high - ends.low);
}

const char* reason(const Watched& watched) {
  const struct {
    int64 groups;
    const char* what;
  } reasons[] = {
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

}  // namespace

struct WeakAnswers {
  const RowScope* scope;
  const QueryStatistics* statistics;
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
  made->statistics = statistics;
  made->watched = (Watched*)palloc0(sizeof(Watched) * Max(shape->aggregates, 1));
  const int sets = sets_of(groups);
  for (int i = 0; i < shape->aggregates; i++) {
    const QueryAggregate* aggregate = &shape->aggregate[i];
    const AggregateParts* parts = &statistics->parts[i];
    if (!parts->divides()) continue;
    EndReach* reach = (EndReach*)palloc(sizeof(EndReach) * sets);
    for (int set = 0; set < sets; set++) {
      const CubeReach* here = sums != NULL ? sums + set * statistics->count : NULL;
      reach[set] = guard([&] { return interval_reach(*parts, groups, set, noise, kLevel, here); });
    }
    made->watched[made->count++] = {
        aggregate,
        parts,
        reach,
        parts->products >= 0 ? half_of_pairs(aggregate->kind, *parts, statistics)
                             : half_of_range(aggregate->kind, &statistics->statistic[parts->sum]),
        0,
        0,
        0};
  }
  return made->count > 0 ? made : NULL;
}

void look_at_answers(WeakAnswers* weak, int set, const Int128* noisy) {
  if (weak == NULL) return;
  weak->groups++;
  for (int i = 0; i < weak->count; i++) {
    Watched* watched = &weak->watched[i];
    const Int128 rows = noisy[weak->statistics->first[watched->parts->count]];
    if (static_cast<double>(rows) <= watched->reach[set].count) {
      watched->few++;
      continue;
    }
    const Interval interval = answer_interval(watched->aggregate->kind, *watched->parts,
                                              weak->statistics, watched->reach[set], noisy);
    if (interval.high - interval.low > watched->wide) {
      watched->unsure++;
    } else if (is_held(*watched, weak->statistics, watched->reach[set], noisy)) {
      watched->held++;
    }
  }
}

void warn_of_answers(const WeakAnswers* weak) {
  for (int i = 0; weak != NULL && i < weak->count; i++) {
    const Watched* watched = &weak->watched[i];
    if (watched->groups() == 0) continue;
    const char* answer = psprintf("%s(%s)", watched->aggregate->name,
                                  argument_text(weak->scope, watched->aggregate));
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
