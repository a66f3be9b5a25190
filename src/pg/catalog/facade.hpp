// Which views are facades (dpmix.expose), and of which protected tables or views over them.
//
// A view is a facade only if its row, its body and its owner agree: the row has its oid and its
// name, the body is the guard's call and nothing besides, and its owner has the rights of the
// owner of what it stands for. Any other view is left to its body, which raises.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

struct Facade {
  Oid view;
  Oid relation;    // the protected table, or the view that it stands for
  int64 table_id;  // dpmix.protected_table.id; 0: it stands for the view that has this name
  NameData of_schema, of_view;
  double default_epsilon, default_delta, max_epsilon;  // NaN: not declared
  int64 id;                                            // dpmix.facade.id
  bool rows_empty;      // a look at its columns is answered with no rows, not refused
  bool rows_synthetic;  // or, where the reader asks for that, with those of this table
  NameData synthetic_schema, synthetic_name;
};

// Believed while the catalog's epoch lasts; the first call of an epoch reads a small table. In a
// transaction.
bool have_facades();
// The facade of a view that is locked, as the tables of a query are; in the current memory context.
// NULL: it is none, or not any more.
const Facade* facade_of_view(Oid view);
// The column of the table, or of the view, that a column of the facade stands for, by name, type
// and collation. InvalidAttrNumber: it was dropped or has another type since; PV002 for who asks.
AttrNumber table_column(const Facade* facade, AttrNumber column);

}  // namespace dpmix::pg
