// dp_covar, dp_corr and dp_regr_*: of the rows in which both numbers are there.
#include "core/query/regression_answers.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/aggregates/counts.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/sums.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// The number where the other one is not missing, too.
SafeNumber beside(const RowScope* scope, const SafeNumber& number, const SafeNumber& other) {
  if (never_missing(scope, other.counted)) return number;
  const Oid type = exprType((Node*)other.counted);
  Expr* there = is_known(other.counted);
  if (has_nan(type)) {
    const Oid differs = get_negator(order_operator(type, BTEqualStrategyNumber));
    Expr* nan = (Expr*)constant(type, InvalidOid, nan_of(type));
    there = (Expr*)makeBoolExpr(
        AND_EXPR, list_make2(there, comparison(differs, (Expr*)copyObjectImpl(other.counted), nan)),
        -1);
  }
  SafeNumber made = number;
  made.value = case_when(there, number.value);
  made.counted = made.value;
  return made;
}

// A number, its bounds and its lattice, as total_product has them.
List* number_on(const SafeNumber& number, const Lattice& centred) {
  return list_make5(number.value, float8_constant(number.lower), float8_constant(number.upper),
                    float8_constant(centred.origin), float8_constant(centred.step));
}

struct Pair {
  SafeNumber x, y;
  bool swapped;  // so that what is asked of (x, y) and of (y, x) is one statistic
};

int add_products(const AskedStatistics& asked, const Pair& pair, const Lattice& x,
                 const Lattice& y) {
  const SafeNumber &first = pair.swapped ? pair.y : pair.x,
                   &second = pair.swapped ? pair.x : pair.y;
  // In steps from the middles of their bounds. It never raises, and a value between the bounds is
  // finitely many steps away.
  Expr* product = call_dpmix(
      "total_product", FLOAT8OID,
      list_concat(number_on(first, pair.swapped ? y : x), number_on(second, pair.swapped ? x : y)));
  const Lattice lattice =
      guard([&] { return product_lattice(x, y, pair.x.integral && pair.y.integral); });
  QueryStatistic products = statistic_of(asked.scope, asked.aggregate, StatisticKind::sum,
                                         "centred products", product, lattice);
  products.upper = lattice.step * static_cast<double>(lattice.high);
  products.lower = -products.upper;
  products.unit = x.step * y.step;
  return add_statistic(asked.list, products);
}

int add_pairs(const AskedStatistics& asked, const Pair& pair) {
  if (never_missing(asked.scope, pair.x.counted)) return add_count(asked, pair.y.counted);
  const SafeNumber &first = pair.swapped ? pair.y : pair.x,
                   &second = pair.swapped ? pair.x : pair.y;
  return add_count(asked, beside(asked.scope, first, second).counted);
}

// The aggregate as the text of a statistic of one column has it: the other column is named where
// rows without it are left out.
QueryAggregate one_of(const QueryAggregate* aggregate, Expr* argument, const SafeNumber& alone,
                      const SafeNumber& beside, Expr* other) {
  QueryAggregate one = *aggregate;
  one.second_first = false;
  one.argument = argument;
  one.second = beside.value == alone.value ? NULL : other;
  return one;
}

// Which of these an aggregate takes; without products, it takes the count of pairs alone.
struct PairSums {
  bool products, x_squares, y_squares;
};

AggregateParts pair_parts(const AskedStatistics& asked, const PairSums& needs) {
  const RowScope* scope = asked.scope;
  const QueryAggregate* aggregate = asked.aggregate;
  const Pair pair = {safe_number(scope, (Node*)aggregate->argument, aggregate->name),
                     safe_number(scope, (Node*)aggregate->second, aggregate->name),
                     strcmp(expression_text(scope, (Node*)aggregate->argument),
                            expression_text(scope, (Node*)aggregate->second)) > 0};
  AggregateParts parts = {-1, -1, -1};
  parts.count = add_pairs(asked, pair);
  if (!needs.products) return parts;
  const SafeNumber x = beside(scope, pair.x, pair.y), y = beside(scope, pair.y, pair.x);
  const QueryAggregate x_aggregate =
                           one_of(aggregate, aggregate->argument, pair.x, x, aggregate->second),
                       y_aggregate =
                           one_of(aggregate, aggregate->second, pair.y, y, aggregate->argument);
  AskedStatistics of_x = asked, of_y = asked;
  of_x.aggregate = &x_aggregate;
  of_y.aggregate = &y_aggregate;
  parts.sum = add_sum(of_x, x, true);
  parts.y_sum = add_sum(of_y, y, true);
  const Lattice x_lattice = asked.list->statistic[parts.sum].lattice,
                y_lattice = asked.list->statistic[parts.y_sum].lattice;
  parts.products = add_products(asked, pair, x_lattice, y_lattice);
  if (needs.x_squares) parts.squares = add_squares(of_x, x, x_lattice);
  if (needs.y_squares) parts.y_squares = add_squares(of_y, y, y_lattice);
  return parts;
}

PairColumns columns_of(const AnswerSource& source) {
  const auto column = [&](int sum) -> PairColumn {
    const QueryStatistic& of = source.statistic(sum);
    return {of.lattice, of.lower, of.upper};
  };
  return {column(source.parts.sum), column(source.parts.y_sum),
          source.lattice(source.parts.products)};
}

PairTotals cells_of(const NoisyAnswer& noisy) {
  const AggregateParts& parts = noisy.parts;
  const auto number = [&](int part) { return part < 0 ? 0 : noisy.number(part); };
  return {number(parts.count),   number(parts.sum),       number(parts.y_sum),
          number(parts.squares), number(parts.y_squares), number(parts.products)};
}

template <double (*made)(const PairColumns&, const PairTotals&)>
Datum answer(const NoisyAnswer& noisy) {
  return Float8GetDatum(made(columns_of(noisy), cells_of(noisy)));
}

template <NoiseInterval (*made)(const PairColumns&, const PairTotals&, const PairReach&)>
NoiseInterval interval(const NoisyAnswer& noisy, const EndReach& reach) {
  return made(
      columns_of(noisy), cells_of(noisy),
      {reach.count, reach.sum, reach.y_sum, reach.squares, reach.y_squares, reach.products});
}

template <bool... needs>
AggregateParts statistics(const AskedStatistics& asked) {
  return pair_parts(asked, {needs...});
}

NoiseInterval range_of_covariance(const AnswerSource& source) {
  const auto half = [&](int sum) {
    return (source.statistic(sum).upper - source.statistic(sum).lower) / 2;
  };
  const double most = half(source.parts.sum) * half(source.parts.y_sum);
  return {-most, most};
}

NoiseInterval range_of_correlation(const AnswerSource&) {
  return {-1, 1};
}

const Aggregate kCovar({.name = "dp_covar",
                        .stored = 7,
                        .takes = Takes::pair,
                        .type = FLOAT8OID,
                        .statistics = statistics<true, false, false>,
                        .answer = answer<covariance_answer>,
                        .interval = interval<covariance_interval>,
                        .range = range_of_covariance,
                        .shows_held = false,
                        .plain = {{"covar_pop"},
                                  {"covar_samp", Made::sample_variance,
                                   "the covariance of the population"},
                                  {"regr_sxy", Made::total}},
                        .plain_text = "covar_*"});
const Aggregate kCorr({.name = "dp_corr",
                       .stored = 8,
                       .takes = Takes::pair,
                       .type = FLOAT8OID,
                       .statistics = statistics<true, true, true>,
                       .answer = answer<correlation_answer>,
                       .interval = interval<correlation_interval>,
                       .range = range_of_correlation,
                       .plain = {{"corr"}, {"regr_r2", Made::square}},
                       .plain_text = "corr"});
const Aggregate kRegrCount({.name = "dp_regr_count",
                            .stored = 9,
                            .takes = Takes::line,
                            .type = INT8OID,
                            .statistics = statistics<false, false, false>,
                            .answer = counted,
                            .interval = counted_interval,
                            .form = counted_form,
                            .plain = {{"regr_count"}},
                            .plain_text = "regr_*",
                            .suggested = false});
const Aggregate kRegrSlope({.name = "dp_regr_slope",
                            .stored = 10,
                            .takes = Takes::line,
                            .type = FLOAT8OID,
                            .statistics = statistics<true, true, false>,
                            .answer = answer<slope_answer>,
                            .interval = interval<slope_interval>,
                            .plain = {{"regr_slope"}},
                            .plain_text = "regr_*"});
const Aggregate kRegrIntercept({.name = "dp_regr_intercept",
                                .stored = 11,
                                .takes = Takes::line,
                                .type = FLOAT8OID,
                                .statistics = statistics<true, true, false>,
                                .answer = answer<intercept_answer>,
                                .interval = interval<intercept_interval>,
                                .plain = {{"regr_intercept"}},
                                .plain_text = "regr_*"});

}  // namespace
}  // namespace dpmix::pg
