// Which column of a protected table a view's column is, where the view hands it on as it is.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

struct ColumnOrigin {
  Oid relation;  // InvalidOid: it is computed, or of no protected table
  AttrNumber column;
};

// Of a column of a view, through sub-selects, WITH, joins, other views and facades, also as what
// groups; of a set operation that of its first side. By the text of the view alone, for whoever
// asks. No lock stays.
ColumnOrigin origin_of_column(Oid view, AttrNumber column);
// The same where the view is one SELECT: its rows are then those of no other column.
ColumnOrigin only_origin_of_column(Oid view, AttrNumber column);

}  // namespace dpmix::pg
