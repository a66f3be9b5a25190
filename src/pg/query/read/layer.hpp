// A private layer: rows that a query of the text makes of each privacy unit's rows alone
// (docs/proofs/people.md). What is above it asks of its rows as of those of a table.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/catalog/domains.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct HeldUnits;
struct RowScope;

struct LayerColumn {
  const char* name;
  Oid type;  // as computed: float8 for a number that was computed
  int32 typmod;
  Oid asked;  // the type in the text, for what is computed from answers
  int32 asked_typmod;
  Oid collation;
  double longest;  // bytes of a text that is computed; 0: it is stored in a table
  bool is_unit;    // the privacy unit itself
  bool is_key;     // it alone is a key: it names one row of one unit
  bool numbers;    // the rows of a unit, each by another number
  int64 most;      // the most a count can be: larger ones are this; 0: it is no count
  bool nullable;   // it may be NULL where the column that it is is not
  // The scope and column it is, if it is a column of a table below, or a bucket in time of one.
  // Otherwise, and for a bucket, what follows says what is known of its values.
  const RowScope* scope;
  const Var* plain;
  bool in_row;  // the column itself, beside others of its row: no least, greatest or neighbouring
                // one
  Expr* bucket;
  List* buckets;  // of LayerColumn*: the sides of a set operation, if these are such buckets
  ColumnDomain domain;
  bool whole;  // its values are the whole numbers within its bounds, of whatever type

  bool computed() const { return type != asked; }
};

struct BlocksOfTable {
  const ProtectedTable* table;
  BlocksRead read;
};

struct Layer {
  int columns;
  LayerColumn* column;
  Query* rows;          // safe; its columns are these, then the unit: a number where rows are held
  Query* asked;         // as the text asks for it, before some of it is done as rows are read
  HeldUnits* held;      // what it reads; NULL: shards
  List* tables;         // of ProtectedTable*: each that it reads, once
  List* blocks;         // of BlocksOfTable*: which blocks it reads of those that have any
  List* publics;        // oids of public tables
  int64 most;           // rows of a unit, at most, as the owners of the tables say
  bool one;             // a unit has one, whatever they say
  bool multiplies;      // a row may meet several of another table, or of a public one
  Adjacency adjacency;  // how its rows differ between neighbours
  const char* without;  // tables: who has no row in them is in none of its groups; NULL: none

  AttrNumber unit() const { return (AttrNumber)(columns + 1); }
};

// None: the table has no blocks.
inline BlocksRead blocks_of_layer(const Layer* layer, const ProtectedTable* table) {
  const ListCell* cell;
  foreach (cell, layer->blocks) {
    const BlocksOfTable* of = (const BlocksOfTable*)lfirst(cell);
    if (of->table->id == table->id) return of->read;
  }
  return {};
}

}  // namespace dpmix::pg
