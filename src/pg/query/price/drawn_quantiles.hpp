// Whether the quantiles of a query are drawn from exact counts, or read from trees of noisy ones.
// Decided by public things alone: docs/guide/query_quantiles.md.
#pragma once

#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

// Whether neither the caller nor the text asks for what draws do not have: noise of a family,
// intervals of quantiles, groups that are found or agree, other aggregates of sampled rows.
bool may_be_drawn(const QueryCall& call, const PricedQuery* priced);
// The statistics with draws; NULL: there is no room for the counts of all groups.
const QueryStatistics* drawn_statistics(const PricedQuery* priced);
// Whether the plan with draws is less off than that with trees; both are of one query.
bool are_draws_worth(const PricedQuery* drawn, const PricedQuery* trees);

}  // namespace dpmix::pg
