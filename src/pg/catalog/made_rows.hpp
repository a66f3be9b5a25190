// Rows that a text makes of protected tables, one person after the other, where a release asks of
// them as of the rows of one table: what its text says of them (pg/query/layers/source.hpp).
#pragma once

#include "pg/catalog/blocks_read.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct ColumnDomain;
struct HeldUnits;
struct RowScope;

constexpr char kMadeUnit[] = "dpmix unit";  // the column of its number

struct MadeColumn {
  const char* name;
  Oid type;  // as computed: float8 for a number that was computed
  int32 typmod;
  Oid asked;  // the type in the text
  int32 asked_typmod;
  Oid collation;
  bool is_unit;  // the privacy unit itself
  bool whole;    // whole numbers within bounds, of whatever type
  bool never_null;
};

struct MadeRows {
  const char* text;  // as the caller wrote it
  int columns;
  MadeColumn* column;
  Query* query;       // whose columns are these, then the number of the unit
  HeldUnits* held;    // what it reads
  double row_bytes;   // memory that a row's expressions take
  List* tables;       // of ProtectedTable*: each that is read, all of one account
  bool has_blocks;    // any of them
  BlocksRead blocks;  // all blocks of these tables that are read
  const RowScope* scope;
  // Like column_domain(), require_bounds() and require_categories(), for a column of these rows.
  ColumnDomain (*domain)(const MadeRows* rows, AttrNumber column);
  ColumnDomain (*bounds)(const MadeRows* rows, AttrNumber column);
  ColumnDomain (*categories)(const MadeRows* rows, AttrNumber column);
};

inline const MadeColumn& made_column(const MadeRows* rows, AttrNumber column) {
  return rows->column[column - 1];
}

}  // namespace dpmix::pg
