// FROM and WHERE of a layer: tables, whose rows are held unit by unit, public ones, and queries.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// Fills in the parts of FROM, what runs of it, and how its parts are joined. PV002: people's rows
// are joined otherwise than by person.
void take_from(LayerQuery* level);
// The number of the unit at work, seen from a query.
Var* unit_at_work(const LayerQuery* level);

}  // namespace dpmix::pg
