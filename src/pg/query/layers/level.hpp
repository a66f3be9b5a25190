// A query of a text that is, or is part of, a private layer: what it joins, and what of its rows
// belongs to whom.
//
// Each is compiled to a query that is run over the rows of one privacy unit (held_units.hpp): what
// it gives is then a function of these rows, whatever it does. Its marks show that this is also
// what the text means, over all rows: docs/proofs/people.md.
#pragma once

#include "pg/query/blocks/narrowing.hpp"
#include "pg/query/check/join_conditions.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/parts.hpp"
#include "pg/units/held_units.hpp"

namespace dpmix::pg {

struct LayerItem;
struct LayerQuery;
struct UnitLink;

// What a column tells of its row's unit: it is the unit itself (no target), or a part of the key of
// a table to which others are linked, whose row is the unit's.
struct Mark {
  Oid target;            // InvalidOid: the unit
  AttrNumber column;     // of the target
  const UnitLink* key;   // that it is a part of
  const LayerItem* row;  // the table of FROM that it is of: parts of several rows are no key
};

struct ColumnMarks {  // of what a query gives
  List* marks;
  bool nullable;
};

enum class LayerAs {
  rows,    // in FROM
  beside,  // in FROM, of each row of the parts before it: LATERAL
  exists,  // whether there are any
  member,  // values that another is compared with
  value,   // one, or none
};

struct LayerTables {  // of one text
  HeldUnits* held;
  List* relations;  // oids; the place of each is that of its rows
  List* tables;     // of ProtectedTable*, NULL: public; in the same order
  List*
      keys;  // of UnitLink*: those by which other tables name rows of these, where they are unique
  const Query* text;      // all of it
  UnknownBlocks unknown;  // what a table is read in to which no condition narrows
  List* blocks;           // of BlocksOfTable*, of the tables that have blocks
  List* reads;            // what read_conditions.cpp notes
  Bitmapset* grouped;     // places of those whose rows are grouped by person
  bool twice;             // it has no query within, but names a table more than once
  bool on_shards;         // they are Citus's, and nothing is held (shard_rows.hpp)
  // Of a query within (layer.hpp).
  const LayerQuery* (*make)(LayerTables* all, const Query* query, const LayerQuery* around,
                            int depth, LayerAs as);
};

struct LayerItem {  // of FROM
  Index varno;
  int place;  // of a table, among the held ones; -1: a query
  bool is_private;
  const LayerQuery* below;  // NULL: a table
  const Layer* layer;       // of `below`
  const ProtectedTable* table;
  Oid relation;
  int64 most;  // rows of a unit
  bool one;
  // For a LATERAL query: the parts whose columns it reads; among them those whose unit its rows are
  // of, and whether each row of them has one of its at most.
  Bitmapset *reads, *follows;
  bool single;
};

struct LinkedValue {  // of a sub-select with one value
  const SubLink* link;
  const LayerColumn* column;
};

struct LayerQuery : RowScope {
  const LayerQuery* around;  // of a sub-select: the query that its columns may be of
  LayerTables* all;
  int depth;  // 1: is read by what runs it for each unit
  int items;
  LayerItem* item;
  JoinConditions join;
  Query* made;          // safe
  Layer* layer;         // what it gives
  ColumnMarks* column;  // of each column of the layer
  int64 most;           // rows of a unit that it reads: before groups
  bool one;
  bool multiplies;
  List** values;        // of LinkedValue*: of the sub-selects that were compiled
  Bitmapset* required;  // places of tables without a row in which a unit has none here
  bool single;          // has one row at most, whatever there is
};

inline const LayerQuery* query_within(const LayerQuery* level, const Query* query, LayerAs as) {
  return level->all->make(level->all, query, level, level->depth + 1, as);
}

inline const LayerItem* item_of(const LayerQuery* level, Index varno) {
  for (int i = 0; i < level->items; i++) {
    if (level->item[i].varno == varno) return &level->item[i];
  }
  return NULL;
}

// A column of a layer, of the type that it is computed in.
inline Node* of_computed_type(const Var* column, const LayerColumn& made) {
  Var* computed = (Var*)copyObjectImpl(column);
  computed->vartype = made.type;
  computed->vartypmod = made.typmod;
  computed->varcollid = made.collation;
  return (Node*)computed;
}

}  // namespace dpmix::pg
