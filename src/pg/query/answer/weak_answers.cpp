#include "pg/query/answer/weak_answers.hpp"

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

struct Watched {  // an aggregate
  const QueryAggregate* aggregate;
  const AggregateParts* parts;
  EndReach* reach;    // of each grouping set
  double wide;        // a width that is half of what the bounds allow
  int64 few, unsure;  // groups: within the noise of no rows; else of too wide an interval
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

const char* reason(const Watched& watched) {
  if (watched.unsure == 0) return "The number of rows is within its noise of 0.";
  if (watched.few == 0) return "The 95% interval is wider than half of what the bounds allow.";
  return psprintf("In " INT64_FORMAT
                  " the number of rows is within its noise of 0, in " INT64_FORMAT
                  " the 95%% interval is wider than half of what the bounds allow.",
                  watched.few, watched.unsure);
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
    watched->unsure += interval.high - interval.low > watched->wide;
  }
}

void warn_of_answers(const WeakAnswers* weak) {
  for (int i = 0; weak != NULL && i < weak->count; i++) {
    const Watched* watched = &weak->watched[i];
    if (watched->few + watched->unsure == 0) continue;
    const char* answer = psprintf("%s(%s)", watched->aggregate->name,
                                  argument_text(weak->scope, watched->aggregate));
    const char* where = weak->groups == 1
                            ? ""
                            : psprintf(" in " INT64_FORMAT " of " INT64_FORMAT " groups",
                                       watched->few + watched->unsure, weak->groups);
    ereport(
        NOTICE,
        (errmsg("%s means little%s", answer, where), errdetail_internal("%s", reason(*watched)),
         errhint("Ask with a larger epsilon, or for fewer and larger groups. "
                 "dpmix.preview(..., group_rows => 500) shows the noise in a group of 500 rows.")));
  }
}

}  // namespace dpmix::pg
