// Where an exact statement finds whose the rows of a table are.
#pragma once

#include "pg/catalog/table_row.hpp"

namespace dpmix::pg {

struct UnitSource {
  const char* from;    // the table, and those that its links lead to: one row for each of its own
  const char* unit;    // a column of them
  int64 updates;       // statements on record that may have moved rows between units
  const char* defect;  // why there is no such statement; NULL: there is
};

// The source for a table whose unit is not the row. Run as its owner, who has to be able to read
// the others.
UnitSource unit_source(Oid relation, const CatalogRow* row);

}  // namespace dpmix::pg
