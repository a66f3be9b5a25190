// What people are told about a plain query's price: by NOTICE when it is charged, by NOTICE and by
// EXPLAIN when it is not.
#pragma once

#include "pg/query/query.hpp"

namespace dpmix::pg {

// One line for each noisy statistic, as "count of rows: gaussian noise, 95% within 41.2"; of what
// it is that of.
List* noise_lines(const PricedQuery* priced, const char* of);  // of char*
// What the sub-selects of a question make, and of which tables; none of a question without.
List* layer_lines(const PricedQuery* priced);  // of char*
// "epsilon 0.1, delta 1e-09: 1.25% of the budget of cps; 79 such queries fit", for each table.
// charged: as it is about to be, and the queries are those that come after it. plans: of an upgrade
// of what memory has (Recall); NULL: as priced.
List* price_lines(const PricedQuery* priced, const QueryPlan* plans, bool charged);  // of char*

}  // namespace dpmix::pg
