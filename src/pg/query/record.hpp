// What the ledger keeps about a query besides its price: the text as the caller wrote it, and the
// noise of each statistic. Public by construction: nothing in it depends on the rows.
#pragma once

#include "core/query/plan.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/statistics.hpp"

namespace dpmix::pg {

const char* mechanism_text(Family family);

// A JSON object of at most kParameterBytes; text and list are cut to fit, "statistics_left" says
// how many the list leaves out. With "cells" (how many numbers of a statistic neighbours change, at
// most) and "steps" (a sensitivity in lattice steps) dpmix.explain_charge prices the query again.
// Versions before 0.6.0 wrote "changed_groups", one number of cells for all statistics.
const char* query_record(const char* text, const QueryGroups* groups,
                         const QueryStatistics* statistics, const StatisticShift* shifts,
                         const StatisticNoise* noise, const GroupSearch& search);

}  // namespace dpmix::pg
