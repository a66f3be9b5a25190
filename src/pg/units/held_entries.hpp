// Entries of FROM that read rows held by units (held_units.hpp): one gives the number of each unit,
// the other the rows that one of them has in a table.
#pragma once

#include "pg/units/held_units.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

RangeTblEntry* units_entry(const HeldUnits* held);  // one column
// unit: the number of one, of an outer query. Columns are those of the table.
RangeTblEntry* rows_entry(const HeldUnits* held, int table, Var* unit);
// The place of the table whose rows an entry gives; -1: it gives others.
int place_of_rows(const RangeTblEntry* entry);

}  // namespace dpmix::pg
