#include "pg/query/price/asked_error.hpp"

#include "core/query/least_epsilon.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/query/answer/expression_intervals.hpp"
#include "pg/query/answer/supposed_group.hpp"
#include "pg/query/price/noise_plan.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLevel = .95;

// The first interval that the query has, or its first aggregate. NULL: it is not known.
const Operand* asked_operand(const PricedQuery* priced) {
  const QueryShape* shape = priced->shape;
  for (int i = 0; i < shape->values; i++) {
    const ReleasedValue& value = shape->value[i];
    if (value.expression != NULL) return operand_of(shape, value.expression);
    if (value.end == ReleasedEnd::low || value.end == ReleasedEnd::high) {
      return answer_operand(value.aggregate);
    }
  }
  return answer_operand(0);
}

// Whose noise is all the error that it has; -1: there are others.
int statistic_of_error(const PricedQuery* priced, const Operand* asked) {
  if (asked->kind != Operand::Kind::answer) return -1;
  const AggregateParts& parts = priced->statistics->parts[asked->aggregate];
  if (parts.divides() || has_tree(priced->statistics, parts)) return -1;
  return parts.cells >= 0 ? parts.cells : parts.count >= 0 ? parts.count : parts.sum;
}

// Whether any answer in it is one that is looked for.
template <class Wanted>
bool has_answer(const PricedQuery* priced, const Operand* operand, const Wanted& wanted) {
  if (operand == NULL) return false;
  if (operand->kind == Operand::Kind::answer) {
    return wanted(priced, operand->aggregate);
  }
  return has_answer(priced, operand->left, wanted) || has_answer(priced, operand->right, wanted);
}

bool is_quantile(const PricedQuery* priced, int aggregate) {
  return has_tree(priced->statistics, priced->statistics->parts[aggregate]);
}

bool is_filtered(const PricedQuery* priced, int aggregate) {
  return priced->shape->aggregate[aggregate].filter != NULL;
}

// Refuses what has no error that can be asked for, before noise is planned.
void require_known_error(const PricedQuery* priced, const Operand* asked) {
  if (priced->groups->cube != NULL) {
    refuse_argument("no error can be asked for of GROUPING SETS, ROLLUP or CUBE",
                    "Each grouping set has an error of its own.",
                    "SET dpmix.epsilon instead of dpmix.error; EXPLAIN shows the errors.");
  }
  constexpr const char* kAsked =
      "an error can be asked for of counts, sums, averages, ratios and histograms";
  if (asked == NULL) {
    refuse_argument(kAsked, "What comes first is computed in another way.",
                    "Put another one first, or SET dpmix.epsilon instead of dpmix.error.");
  }
  if (!has_answer(priced, asked, is_quantile)) return;
  refuse_argument(kAsked,
                  "How far a quantile is off depends on how many values are near it, and nothing "
                  "public says that.",
                  "Put another one first, such as count(*); or SET dpmix.epsilon instead of "
                  "dpmix.error, and select dpmix.low and dpmix.high of the quantile.");
}

double rows_thought_of(const QueryCall& call, const PricedQuery* priced, const Operand* asked) {
  double rows = call.group_rows;
  if (rows == 0 && !has_answer(priced, asked, is_filtered)) rows = public_rows_of_group(priced);
  if (rows >= 1) return rows;
  refuse_argument("the error of an average or a ratio depends on how many rows a group has",
                  "Nothing public says how many rows are left by the query's conditions.",
                  "SET dpmix.group_rows = 500, a number that you think of; or ask for the error of "
                  "a count or a sum, or SET dpmix.epsilon instead of dpmix.error.");
}

// Half the width of its interval in such a group, at the noise of an epsilon.
double half_width_at(const PricedQuery* priced, const Operand* asked, double rows) {
  const ExpressionInterval* of = expression_interval(
      {priced->shape, priced->groups, priced->statistics, priced->noise, 0, NULL}, asked, kLevel);
  const NoiseInterval interval =
      measured_in_group(of, supposed_group(priced->statistics, (int64)rows)).interval;
  return (interval.high - interval.low) / 2;
}

double epsilon_for_ratio(const QueryCall& call, const PricedQuery* priced, const Operand* asked) {
  const double rows = rows_thought_of(call, priced, asked);
  PricedQuery tried = *priced;
  tried.noise = (StatisticNoise*)palloc0(sizeof(StatisticNoise) * priced->statistics->count);
  MemoryContext context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix error asked for", ALLOCSET_SMALL_SIZES);
  guard([&] { plan_statistics(&tried); });  // at the largest epsilon: the errors are the caller's
  const double found = least_epsilon_by(call.epsilon, [&](double epsilon) {
    CHECK_FOR_INTERRUPTS();
    tried.request.epsilon = epsilon;
    if (!can_plan(&tried)) return false;
    MemoryContextReset(context);
    MemoryContext old = MemoryContextSwitchTo(context);
    const double half_width = half_width_at(&tried, asked, rows);
    MemoryContextSwitchTo(old);
    return half_width <= *call.half_width;
  });
  MemoryContextDelete(context);
  return found;
}

}  // namespace

double epsilon_for_error(const QueryCall& call, const PricedQuery* priced) {
  const Operand* asked = asked_operand(priced);
  require_known_error(priced, asked);
  const int statistic = statistic_of_error(priced, asked);
  double found = 0;
  if (statistic < 0) {
    found = epsilon_for_ratio(call, priced, asked);
  } else {
    const double step = priced->statistics->statistic[statistic].step();
    guard([&] {
      found = least_epsilon(priced->request, filter_of(priced->table), shifts_of(priced),
                            static_cast<std::size_t>(statistic), *call.half_width / step,
                            cached_on_lattice)
                  .value_or(0);
    });
  }
  if (found > 0) return found;
  refuse_argument(psprintf("no epsilon up to %g keeps the error that was asked for", call.epsilon),
                  psprintf("dpmix.error is %g.", *call.half_width),
                  "Allow a larger dpmix.error, or ask for fewer groups or aggregates.");
}

}  // namespace dpmix::pg
