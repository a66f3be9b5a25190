// What the ledger keeps about a query besides its price: the text as the caller wrote it, and the
// noise of each statistic. Public by construction: nothing in it depends on the rows.
#pragma once

#include "core/release/query_plan.hpp"
#include "pg/query_groups.hpp"
#include "pg/query_statistics.hpp"

namespace dpmix::pg {

const char* mechanism_text(Family family);

// A JSON object of at most kParameterBytes; text and list are cut to fit, "statistics_left" says
// how many the list leaves out. With "changed_groups" (between neighbours, at most) and "steps" (a
// sensitivity in lattice steps) dpmix.explain_charge prices the query again.
const char* query_record(const char* text, Adjacency adjacency, const DeclaredGroups* groups,
                         const QueryStatistics* statistics, const StatisticNoise* noise);

}  // namespace dpmix::pg
