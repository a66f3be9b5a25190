// Intervals of expressions over several answers: ratios, weighted means, differences, and what is
// computed from them. Post-processing, free of charge. Proof: docs/proofs/query_ratios.md.
//
// A part that is a ratio of linear forms of counts, sums and averages has the interval of their
// joint law (core/query/ratio_intervals); an answer that is none has its own; and parts that are
// put together otherwise share what the level may miss.
#pragma once

#include "pg/query/answer/one_answer.hpp"
#include "pg/query/answer/operands.hpp"

namespace dpmix::pg {

struct ExpressionInterval;

// What intervals of a grouping set are made from. sums: as of interval_reach().
struct IntervalSource {
  const QueryShape* shape;
  const QueryGroups* groups;
  const QueryStatistics* statistics;
  const StatisticNoise* noise;
  int set;
  const CubeReach* sums;

  AnswerSource answer(int aggregate) const {
    return answer_source(shape, statistics, noise, aggregate);
  }
};

// Call before the groups. NULL: nothing is known of the expression. PV005: a level out of range.
const ExpressionInterval* expression_interval(const IntervalSource& source, const Expr* expression,
                                              double level);
const ExpressionInterval* expression_interval(const IntervalSource& source, const Operand* operand,
                                              double level);
struct MeasuredValue {
  double value;            // NaN: it has none
  NoiseInterval interval;  // holds it
};
MeasuredValue measured_in_group(const ExpressionInterval* of, const GroupAnswer& group);

}  // namespace dpmix::pg
