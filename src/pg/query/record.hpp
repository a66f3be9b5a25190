// What the ledger keeps about a query besides its price: the text as the caller wrote it, and the
// noise of each statistic. Public by construction: nothing in it depends on the rows.
#pragma once

#include "core/query/plan.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// A JSON object of at most kParameterBytes; text and list are cut to fit, "statistics_left" says
// how many the list leaves out. With "cells" (how many numbers of a statistic neighbours change, at
// most) and "steps" (a sensitivity in lattice steps) dpmix.explain_charge prices the query again.
const char* query_record(const char* text, const QueryGroups* groups,
                         const QueryStatistics* statistics, const StatisticShift* shifts,
                         const StatisticNoise* noise, const GroupSearch& search);

}  // namespace dpmix::pg
