// Noise of a query whose statistics are known, from public numbers alone.
#pragma once

#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

std::span<const StatisticShift> shifts_of(const PricedQuery* priced);  // statistics with noise

// Fills in the plan for the request, and the noise of each statistic. In guard(): Error PV005.
void plan_statistics(PricedQuery* priced);
// What the release that was planned costs another table; and what it would cost at the epsilon of
// another request. In guard().
QueryPlan plan_elsewhere(const PricedQuery* priced, const Filter& filter);
Spending price_of_request(const PricedQuery* priced, const QueryRequest& request,
                          const Filter& filter);
// False: a share of epsilon or delta is too small.
bool can_plan(PricedQuery* priced);

// Rows of a group, by what PostgreSQL shows everyone of the table. 0: nobody knows how many are
// left of them.
double public_rows_of_group(const PricedQuery* priced);

}  // namespace dpmix::pg
