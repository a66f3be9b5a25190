// The passes of a tree's release over the rows of its table: one scan, planned before the charge,
// run once for each pass, each time with other tables to count.
#pragma once

#include <cstdint>
#include <vector>

#include "core/stats/marginal_tables.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/model_columns.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {

struct TreePasses;  // plain memory of PostgreSQL

// Passes over the rows in these blocks, or over those that are kept of each unit. Whatever planning
// a scan refuses is refused here.
TreePasses* plan_passes(const ProtectedTable* table, const ReadRows& rows, const BlocksRead& blocks,
                        const ModelColumns* columns);

// Inside guard(), after the charge: the exact counts of one pass.
std::vector<std::int64_t> run_pass(TreePasses* passes, const MarginalTables& tables);

}  // namespace dpmix::pg
