// The `candidates` column of dpmix.preview: which families could answer, and why one does.
#pragma once

#include "core/release/auto_choice.hpp"
#include "pg/postgres.hpp"

namespace dpmix::pg {

// Room for what plan_query explains about so many statistics.
Candidates make_candidates(int statistics);

// A jsonb array of one object for each family, about one statistic, whose lattice has this step.
Datum candidates_jsonb(const Candidates* candidates, int statistics, int statistic, double step);

}  // namespace dpmix::pg
