// One table of a query read by a query of its own.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// SELECT the columns of this table that the query reads, whole: values that are stored out of line
// are fetched for each row, whatever conditions admit. The query's own references become those of
// that SELECT's columns (in place); the caller puts something in the table's place that has them.
Query* take_table_out(Query* query, Index varno);

// Whether there are pages of values that are stored out of line.
bool has_values_elsewhere(Oid relation, bool with_children);
// Whether values of a column that the query reads may be stored out of line: there are pages of
// such values.
bool reads_values_elsewhere(Query* query, Index varno);

}  // namespace dpmix::pg
