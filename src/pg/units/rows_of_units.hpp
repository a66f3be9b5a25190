// A scan of a table's rows of which at most so many of each privacy unit count.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/catalog/protected_table.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

// PV002 where a unit may have several rows and these cannot be sampled: in blocks, over shards.
void require_sampled_units(const ProtectedTable* table);
// That a scan counts of one, at most.
int rows_per_unit(const ProtectedTable* table);
// Plans the counting of a table's units, of each of which as many rows count as its owner declared.
// NULL where a unit has one row. PV002: units of a type that no hash tells apart. condition: on the
// rows; NULL: none.
SampledUnits* units_of_rows(const ProtectedTable* table, Expr* condition = NULL);
// Whether a row counts, in a scan of this table alone that runs once for each share of the units,
// with count_share() before its first row. Where units have one row, as in blocks: what was read.
Expr* rows_that_count(const ProtectedTable* table, SampledUnits* units, const BlocksRead& blocks);

}  // namespace dpmix::pg
