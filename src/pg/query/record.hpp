// What the ledger keeps about a query besides its price: the text as the caller wrote it, and the
// noise of each statistic. Public by construction: nothing in it depends on the rows.
#pragma once

#include "pg/query/query.hpp"

namespace dpmix::pg {

// noise: of scale 0 where nothing is drawn; such statistics are left out, and of all others
// "difference_mu" says what they cost together. A JSON object of at most kParameterBytes; text and
// list are cut to fit, "statistics_left" says how many the list leaves out. With "cells" (how many
// numbers of a statistic neighbours change, at most) and "steps" (a sensitivity in lattice steps)
// dpmix.explain_charge prices the query again. "tables" and "table_ids": those of the charge beside
// the one that it is on record with; names as far as they fit. "grouping_sets": how many times the
// scale the deviation of their answers is, as far as they fit.
const char* query_record(const PricedQuery* priced, const ChargeRequest& request,
                         const StatisticNoise* noise, const GroupSearch& search,
                         double difference_mu = 0);

// One of its list "statistics". step: of the lattice that the law is on; cells: how many numbers
// neighbours change at most.
char* recorded_statistic(const char* text, double step, const NoiseLaw& law, int cells);

}  // namespace dpmix::pg
