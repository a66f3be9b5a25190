// A facade in the text of a query stands for its protected table, or for a view over such tables.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// What a facade stands for that the current user may select from; otherwise the relation itself.
Oid table_of_facade(Oid relation);

// Puts tables in place of facades, in a query just analysed and all within it. Whether the user may
// ask the table is looked at where it is opened, as if the text had named it. PV002: a column that
// the table does not have any more, or a whole row. Whether there are views among them.
bool read_tables_of_facades(Query* query);

}  // namespace dpmix::pg
