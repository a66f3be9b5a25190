// A scan of the rows that a release is asked of, a table's or made ones, of which at most so many
// of each privacy unit count.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/catalog/protected_table.hpp"
#include "pg/units/held_units.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

// PV002 where a unit may have several rows and these can be neither sampled nor picked: in blocks.
void require_sampled_units(const ProtectedTable* table);
// Whether a scan may read several rows of a unit: not where one is picked on its shard.
bool has_several_rows(const ProtectedTable* table);
// PV002 where it may.
void require_one_row(const ProtectedTable* table);
// That a scan counts of one, at most.
int rows_per_unit(const ProtectedTable* table);

// What scans of a table read besides it: of made rows the tables that they are made of, held in
// memory; where a unit may have several rows, which of them count. Of a table with shards it is
// nothing: there rows are picked (trees/picked_rows.hpp).
struct ReadRows {
  HeldUnits* held;      // NULL: nothing is made
  SampledUnits* units;  // NULL: all rows count
};
// Plans it, before the scans. may_share: what several scans count of some of the units each can be
// put together. PV002: units of a type that no hash tells apart. PV005: made of tables that are too
// large.
ReadRows read_rows_of(const ProtectedTable* table, bool may_share);
// The scan of a statistics query, a text over asked_from() as its only table: $1 is of this type.
SilentScan* plan_scan_of(const ProtectedTable* table, const ReadRows& rows,
                         const BlocksRead& blocks, const char* sql, Oid parameter = InvalidOid);
// Each scan runs once for each share, with begin_share() before its first row.
int shares_of(const ReadRows& rows);
void begin_share(const ReadRows& rows, int share);

// Plans the counting of a table's units, of each of which as many rows count as its owner declared.
// NULL where a unit has one row. PV002: units of a type that no hash tells apart. condition: on the
// rows; NULL: none.
SampledUnits* units_of_rows(const ProtectedTable* table, Expr* condition = NULL);

}  // namespace dpmix::pg
