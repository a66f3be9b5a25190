#include "pg/query/statistics/sums.hpp"

#include "core/input/square_lattice.hpp"
#include "core/query/plan.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/keys/coverage.hpp"

namespace dpmix::pg {

int add_count(const AskedStatistics& asked, Expr* value) {
  if (value != NULL && never_missing(asked.scope, value)) value = NULL;
  const StatisticKind kind = value == NULL ? StatisticKind::rows : StatisticKind::values;
  return add_statistic(
      asked.list, statistic_of(asked.scope, asked.aggregate, kind, "count", value, kCountLattice));
}

int add_sum(const AskedStatistics& asked, const SafeNumber& number, bool centred) {
  const Lattice lattice = guard([&] {
    return centred ? centred_lattice(number.lower, number.upper, number.integral)
                   : anchored_lattice(number.lower, number.upper, number.integral);
  });
  QueryStatistic sum = statistic_of(asked.scope, asked.aggregate, StatisticKind::sum,
                                    centred ? "centred sum" : "sum", number.value, lattice);
  sum.lower = number.lower;
  sum.upper = number.upper;
  sum.integral = number.integral;
  return add_statistic(asked.list, sum);
}

int add_squares(const AskedStatistics& asked, const SafeNumber& number, const Lattice& centred) {
  QueryStatistic squares = statistic_of(asked.scope, asked.aggregate, StatisticKind::squares,
                                        "centred squares", number.value, square_lattice(centred));
  squares.centred = centred;
  return add_statistic(asked.list, squares);
}

AggregateParts add_moments(const AskedStatistics& asked, const SafeNumber& number, bool squares) {
  AggregateParts parts = {-1, -1, -1};
  parts.count = add_count(asked, number.counted);
  parts.sum = add_sum(asked, number, true);
  if (squares) {
    parts.squares = add_squares(asked, number, asked.list->statistic[parts.sum].lattice);
  }
  return parts;
}

SafeNumber asked_number(const AskedStatistics& asked) {
  return safe_number(asked.scope, (Node*)asked.aggregate->argument, asked.aggregate->name);
}

}  // namespace dpmix::pg
