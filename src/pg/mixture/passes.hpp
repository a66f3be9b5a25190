// The passes of a mixture's release over the rows of its table: one scan for each kind of pass,
// planned before the charge, run as often as the mechanism asks, each time with another frame.
#pragma once

#include "core/stats/pass.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct GmmPasses;  // plain memory of PostgreSQL

// Whatever planning a scan refuses is refused here.
GmmPasses* plan_passes(const ProtectedTable* table, const ModelColumns* columns,
                       const PassKind* kinds, int count);

// Inside guard(), after the charge: the exact statistics of one pass, of a planned kind.
PassStatistics run_pass(GmmPasses* passes, const Pass& pass);

}  // namespace dpmix::pg
