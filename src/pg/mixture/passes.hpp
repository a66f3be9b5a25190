// The passes of a mixture's release over the rows of its table: one scan for each kind of pass,
// planned before the charge, run as often as the mechanism asks, each time with another frame.
#pragma once

#include "core/stats/code_scores.hpp"
#include "core/stats/pass.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/model_columns.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {

struct GmmPasses;  // plain memory of PostgreSQL

// What a pass sees of a row: its values, or the scores of their codes.
enum class SeenRow { values, scores };

// Passes over the rows in these blocks. Whatever planning a scan refuses is refused here.
GmmPasses* plan_passes(const ProtectedTable* table, const ReadRows& rows, const BlocksRead& blocks,
                       const ModelColumns* columns, const PassKind* kinds, int count,
                       SeenRow seen = SeenRow::values);

// Inside guard(), after the charge: the exact statistics of one pass, of a planned kind. scores:
// of the codes, where these are seen.
PassStatistics run_pass(GmmPasses* passes, const Pass& pass, const CodeScores* scores = nullptr);

}  // namespace dpmix::pg
