// dpmix.charges_admitted: what a budget is good for, before a table is protected. A pure function
// of public numbers, like the tools of pg/noise/planning.cpp.
#include <vector>

#include "core/accounting/balance.hpp"
#include "core/query/plan.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_charges_admitted);
}

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_charges_admitted(PG_FUNCTION_ARGS) {
  constexpr int kMostStatistics = 1000;
  require_arguments(fcinfo, 8);
  const double epsilon_total = PG_GETARG_FLOAT8(0), delta_total = PG_GETARG_FLOAT8(1);
  const Accountant accountant = word_argument(fcinfo, 2, NULL, accountant_of, kAccountants);
  require_budget(epsilon_total, delta_total, name(accountant).data());
  QueryRequest request{PG_GETARG_FLOAT8(4), PG_GETARG_FLOAT8(5), mechanism_argument(fcinfo, 3)};
  request.accurate = is_accurate(text_argument(fcinfo, 3));
  const int statistics = PG_GETARG_INT32(6);
  require_range(fcinfo, 6, statistics, 1, kMostStatistics,
                "A count or a sum is one statistic, an average two.");
  const int64 steps = PG_GETARG_INT64(7);
  require_range(fcinfo, 7, steps, 1, Lattice::max_index,
                "A row moves a count by one step, a sum by many.");
  PG_RETURN_INT64(guard([&] {
    const double order =
        accountant == Accountant::renyi ? choose_order(epsilon_total, delta_total) : 0;
    const Filter filter(accountant, Decimal::printed(epsilon_total), Decimal::printed(delta_total),
                        order);
    StatisticShift shift = statistic_shift(Lattice{0, 1, 0, steps}, Adjacency::add_remove, false);
    shift.together = true;
    const std::vector<StatisticShift> shifts(static_cast<std::size_t>(statistics), shift);
    return charges_left(filter, {}, price_query(request, filter, shifts, cached_on_lattice));
  }));
}
