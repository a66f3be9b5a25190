// How the privacy unit of a row that is held is found.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

// Neither way: of a public table, all rows of which every unit sees.
struct UnitOfRow {
  AttrNumber column = InvalidAttrNumber;  // has it
  // Or: of the row of a table that is held before, which it names by a key of that.
  int target = -1;  // its place
  int columns = 0;
  const AttrNumber *link = NULL, *key = NULL;
};

}  // namespace dpmix::pg
