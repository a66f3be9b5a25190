// Where Citus keeps the rows of a privacy unit: they have to lie together on one shard.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

// PV005 where Citus spreads the table by another column than that of its privacy unit.
void require_unit_on_one_shard(Oid relation, AttrNumber unit);

struct PlacedTable {
  Oid relation;
  AttrNumber unit;  // InvalidAttrNumber: a public one
};
// PV002 where the rows of a unit in tables that are read together, one of them distributed, do not
// lie together, or a public one is not on every node.
void require_units_together(const PlacedTable* tables, int count);
// PV002: shards are read with the rights of one owner.
[[noreturn]] void refuse_several_owners();

}  // namespace dpmix::pg
