// A key of GROUP BY, made safe, and the public values that it can have.
#pragma once

#include "pg/query/keys/compared_places.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct KeyColumn {
  Expr* expression;  // safe
  Oid type;          // of the expression: float8 for computed numbers
  int32 typmod;
  Oid collation;
  int categories;  // public values, distinct ones; 0: they are not public
  Datum* value;    // in the order of their declaration
  int declared;  // how many there were before facts left some out
  bool none;     // they left out all: the one value that is kept stands for no row
  FmgrInfo* compare;
  Oid shown_type;  // of the key in the query
  Datum* shown;    // the values in that type
  // Of a bucket of a column in time: the column, the ranges that it was cut over, and steps in which
  // each of its values is met (samples.hpp); 0: not known.
  const Var* cut;
  PlacesLeft ranges;
  int64 step;
  bool others;     // in a cube: rows with none of these count as one value more, which is not shown

  int places() const { return categories + others; }
};

}  // namespace dpmix::pg
