// One statement on the catalog's tables, run as their owner.
#pragma once

#include "pg/border/statement.hpp"

namespace dpmix::pg {

struct StatementResult {
  uint64 rows;
  Datum first;  // first column of the first row: a number
  bool null;
  const char* text;  // the same as text
};

StatementResult write_catalog(Statement* statement, const Datum* values, const char* nulls = NULL);
StatementResult read_catalog(Statement* statement, const Datum* values);

}  // namespace dpmix::pg
