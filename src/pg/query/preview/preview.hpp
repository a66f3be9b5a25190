// What dpmix.preview says of a query: its noise, statistic by statistic, which mechanisms could
// make it, and what it would take from the budget. Free, and reads no row.
#pragma once

#include "pg/ledger/previewed.hpp"
#include "pg/query/query.hpp"

namespace dpmix::pg {

// group_rows: for averages and ratios, how many rows a group has that one thinks of. PV005.
void preview_query(const QueryCall& call, std::optional<int64> group_rows, const PreviewRows& out);

}  // namespace dpmix::pg
