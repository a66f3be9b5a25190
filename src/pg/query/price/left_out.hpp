// Who is in no group: said before they are missed.
#pragma once

#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

// The keys, as the caller wrote them, of which rows may have values that are in no group that is
// shown; empty: everybody is in one.
const char* keys_that_leave_out(const CheckedQuery* checked);

// A NOTICE. Totals of grouping sets count such rows, other answers do not.
void notice_left_out(const CheckedQuery* checked);

// What is cut off in keys that count a person's rows: "20 of n is 20 or more"; empty: no such key.
const char* counts_cut_off(const PricedQuery* priced);

}  // namespace dpmix::pg
