// What a preview says of averages, ratios and other expressions over several noisy statistics, in
// groups of so many rows.
#pragma once

#include "pg/ledger/previewed.hpp"
#include "pg/query/query.hpp"

namespace dpmix::pg {

// A row for each such column: half of the widest that it can be off where all noise under it stays
// within its 95%, in a group where every statistic is of group_rows rows and values lie in the
// middle of their bounds on average. memory: what would answer, as of the other rows.
void preview_groups(const PricedQuery* priced, int64 group_rows, const Outlook& outlook,
                    const char* memory, const PreviewRows& out);

}  // namespace dpmix::pg
