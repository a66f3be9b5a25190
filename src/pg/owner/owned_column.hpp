// A column about which its owner declares something: the first two arguments of such functions.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

struct OwnedColumn {
  int64 table_id;  // 0: it is a column of a view
  Oid view;        // then
  const char* table;
  const char* name;
  AttrNumber attnum;
  Oid type;  // the type below any domain
  int32 typmod;
  Oid collation;
};

// A column of a table that is open as its owner. PV005 no such column.
OwnedColumn owned_column(int64 table_id, Oid relation, const char* name);
// The column that a call names, for the owner and superusers. PV005 no such column, PV006 not
// protected.
OwnedColumn open_column(FunctionCallInfo fcinfo);
bool is_in_time(const OwnedColumn* column);  // date, timestamp, timestamptz
bool is_text(const OwnedColumn* column);     // text, varchar, char
// PV005.
[[noreturn]] void refuse_type(const OwnedColumn* column, const char* what, const char* valid);

}  // namespace dpmix::pg
