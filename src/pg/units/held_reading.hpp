// A table is read into what holds it.
#pragma once

#include "pg/units/held_store.hpp"

namespace dpmix::pg {

// Each of its rows that is of a unit of the share at work. Tables through which rows belong to
// units come before those that are linked to them.
void read_table(HeldUnits* held, HeldTable* table);

// Reads a table whose own column is the unit once for all shares.
void keep_rows_of_shares(HeldUnits* held, HeldTable* table);
double bytes_of_kept_rows(const HeldTable* table);  // of all shares

}  // namespace dpmix::pg
