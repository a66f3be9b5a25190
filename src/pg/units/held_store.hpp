// Tables that are held, as those who read them know them.
#pragma once

#include "core/query/unit_rows.hpp"
#include "pg/units/belonging.hpp"
#include "pg/units/value_numbers.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "nodes/bitmapset.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct SilentScan;
struct GroupedValues;
struct KeptRows;

struct HeldTable {
  Oid relation, owner;
  UnitOfRow unit;
  Expr* condition;     // on its rows; NULL: none
  double usual;        // rows, for the planner
  TupleDesc type;      // all columns of the table
  Bitmapset* columns;  // that are read
  SilentScan* scan;
  ValueNumbers* key;  // numbers of keys, each with its unit; NULL: nothing is linked to it
  ValueKinds* key_kinds;
  int key_columns;
  const AttrNumber* key_column;
  uint32 most;  // rows of a unit that are kept
  UnitRows* rows;
  const GroupedValues* grouped;  // in place of rows; NULL: rows are held
  KeptRows* kept;                // of all shares; NULL: they are not, or not yet
};

struct HeldUnits {
  List* tables;  // of HeldTable*
  Oid unit_type;
  ValueKinds* kinds;
  uint64 seed;  // of hashes: one for all shares, or a unit could be in two of them
  int shares;
  bool keeps_rows;  // of all shares, from one reading of the tables
  MemoryContext kept_context;
  int share;  // at work; -1: none yet. Of it, and of public tables with the first:
  MemoryContext context;
  ValueNumbers* numbers;
};

inline HeldTable* table_at(const HeldUnits* held, int table) {
  return (HeldTable*)list_nth(held->tables, table);
}

inline bool is_public(const HeldTable* table) {
  return table->unit.column == InvalidAttrNumber && table->unit.target < 0;
}

}  // namespace dpmix::pg
