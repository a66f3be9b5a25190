#include "pg/query/answer/values.hpp"

#include "pg/border/guard.hpp"
#include "pg/query/answer/expression_intervals.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

bool is_end(ReleasedEnd end) {
  return end == ReleasedEnd::low || end == ReleasedEnd::high;
}

bool have_one_interval(const ReleasedValue& a, const ReleasedValue& b) {
  return is_end(a.end) && is_end(b.end) && a.aggregate == b.aggregate && a.level == b.level &&
         equal(a.expression, b.expression);
}

EndReach reach_of_expression(const IntervalSource& source, const ReleasedValue& value) {
  EndReach reach = {};
  reach.expression = expression_interval(source, value.expression, value.level);
  if (reach.expression == NULL) {
    refuse_construct("an interval of this expression is",
                     "Write dp_low and dp_high of aggregates, or of +, -, *, /, round, sqrt and "
                     "casts of aggregates and constants.");
  }
  return reach;
}

void find_reaches(const QueryShape* shape, const QueryGroups* groups,
                  const QueryStatistics* statistics, const StatisticNoise* noise, int set,
                  const CubeReach* sums, EndReach* reach) {
  for (int i = 0; i < shape->values; i++) {
    const ReleasedValue* value = &shape->value[i];
    if (!is_end(value->end)) continue;
    CHECK_FOR_INTERRUPTS();
    int known = i - 1;  // the other end
    while (known >= 0 && !have_one_interval(shape->value[known], *value)) known--;
    if (known >= 0) {
      reach[i] = reach[known];
      continue;
    }
    const CubeReach* here = sums != NULL ? sums + set * statistics->count : NULL;
    if (value->expression != NULL) {
      reach[i] = reach_of_expression({shape, groups, statistics, noise, set, here}, *value);
      continue;
    }
    const AnswerSource source = answer_source(shape, statistics, noise, value->aggregate);
    if (source.aggregate->row->reach != NULL) {
      reach[i] = source.aggregate->row->reach(source, value->level);
      continue;
    }
    reach[i] = guard([&] { return interval_reach(source, groups, set, value->level, here); });
  }
}

// The bits of GROUPING(), as PostgreSQL has them: 1 for each key that is not grouped by, the last
// one lowest.
int32 grouping_bits(const QueryGrouping& grouping, KeySet without) {
  uint32 bits = 0;
  for (int i = 0; i < grouping.keys; i++) {
    const int key = grouping.key[i];
    bits = bits << 1 | (key < kMostKeys ? (uint32)(without >> key & 1) : 0);
  }
  return (int32)bits;
}

}  // namespace

EndReach* end_reaches(const QueryShape* shape, const QueryGroups* groups,
                      const QueryStatistics* statistics, const StatisticNoise* noise,
                      const CubeReach* sums) {
  const int sets = sets_of(groups);
  EndReach* reach = (EndReach*)palloc0(sizeof(EndReach) * sets * (shape->values + 1));
  for (int set = 0; set < sets; set++) {
    find_reaches(shape, groups, statistics, noise, set, sums, reach + set * shape->values);
  }
  return reach;
}

Datum released_value(const QueryShape* shape, const QueryStatistics* statistics,
                     const StatisticNoise* noise, const EndReach* reach, int value,
                     const GroupAnswer& answer) {
  const ReleasedValue* asked = &shape->value[value];
  if (asked->end == ReleasedEnd::grouping) {
    return Int32GetDatum(grouping_bits(asked->grouping, answer.without));
  }
  if (asked->expression != NULL) {
    const NoiseInterval interval = measured_in_group(reach[value].expression, answer).interval;
    return Float8GetDatum(asked->end == ReleasedEnd::low ? interval.low : interval.high);
  }
  return value_in(answer_source(shape, statistics, noise, asked->aggregate), asked->end,
                  reach[value], answer);
}

bool is_count(const QueryShape* shape, int value) {
  if (shape->value[value].end == ReleasedEnd::grouping) return true;
  return shape->aggregate[shape->value[value].aggregate].row->counts();
}

}  // namespace dpmix::pg
