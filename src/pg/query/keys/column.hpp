// A key of GROUP BY, made safe, and the public values that it can have.
#pragma once

#include "pg/query/keys/compared_places.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct KeyColumn {
  Expr* expression;  // safe
  Oid type;          // the expression's: float8 for computed numbers
  int32 typmod;
  Oid collation;
  int categories;    // public values, distinct ones; 0: they are not public
  Datum* value;      // in the order of their declaration
  bool found;        // they are not public, and those that enough units have come back
  double bytes;      // the most that a computed text has; 0 for anything else
  double row_bytes;  // what the expression takes of a row (RowBytes)
  int declared;      // how many there were before facts left some out
  bool none;         // they left out all, and NULL: the one value that is kept stands for no row
  FmgrInfo* compare;
  Expr* in_conditions;  // the key as facts have it; NULL: none does
  Oid shown_type;       // the key's in the query
  Datum* shown;         // the values in that type
  // A bucket of a column in time has these: the column, the ranges that it was cut over, and steps
  // in which each of its values is met (samples.hpp); 0: not known.
  const Var* cut;
  PlacesLeft ranges;
  int64 step;
  // NULL where the key is: the column, where that decides; otherwise the expression.
  const Expr* missing;
  bool has_null;       // NULL is a group, too: the place after those of the values
  Datum stand_in;      // stands for NULL in a key that is found (found_nulls.hpp)
  bool takes_any;      // width_bucket: any value of its column but NaN has one of these
  bool leaves_out;     // rows that count may have none of these, and are in no group that is shown
  bool others;         // rows with none of these have a last place
  bool shows_others;   // as the owner says: they are a group; otherwise they are in totals alone
  Datum shown_others;  // what that group shows as, in the shown type

  int places() const { return categories + has_null + others; }
  int null_place() const { return categories; }
  int others_place() const { return categories + has_null; }
};

struct KeyColumns {
  int keys;
  KeyColumn* key;
};

}  // namespace dpmix::pg
