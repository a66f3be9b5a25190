// What a query that passed the validator asks, in terms of the tables that it reads.
//
// A released row has one column for each key, then one for each released value: the answer of an
// aggregate, or an end of the interval around it. Expressions over it are Vars of varno 1. What the
// caller makes of released rows is in released_columns.hpp.
#pragma once

#include "core/cube/workload.hpp"
#include "pg/catalog/protected_table.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct Layer;
struct SafeCompiler;
struct SafePart;

struct QuerySource {  // a table of FROM, or a layer
  Index varno;
  Oid relation;
  // NULL: a public one. Of a layer: its first table, with the unit and the rows of the layer.
  const ProtectedTable* table;
  Oid owner;           // the role with whose rights its rows are read
  const Layer* layer;  // NULL: a table
};

struct PublicBounds;
struct JoinedRows;
struct QuerySources {
  int count;
  QuerySource* source;
  const ProtectedTable* first;  // the first protected one; NULL: there is none
  PublicBounds* known;          // what bounds_of() read already
};

// What expressions can take of one row: all that stays until the row is done, and the most that one
// function takes besides while it is at work.
struct RowBytes {
  double staying, passing;
};

// What expressions over rows may refer to.
struct RowScope {
  const Query* query;
  const QuerySources* sources;
  RowBytes* bytes;
  List* facts;   // safe conditions that are true of every row that counts
  List* branch;  // and of those for which CASE computes what is looked at; for bounds by category
  // Whether sums of a group may be on a lattice of its own (statistics/category_scales.hpp).
  bool own_scales;
  // Whether the bounds of a column are without the ends that facts exclude, as group keys need
  // them. For sums they are the constants themselves, on which a lattice lies well.
  bool open_ends;
  List* from;  // FROM, with safe conditions
  const JoinedRows* joined;
  const RowScope* outer;  // the scope of the query around this one; NULL: there is none
  // Compiles what expressions of a layer have besides. False: the node is none of that.
  bool (*more)(SafeCompiler* compiler, Node* node, SafePart* made);
};

struct Aggregate;

struct QueryAggregate {
  const Aggregate* row;    // which one it is (read/aggregate.hpp)
  const char* name;        // the function's
  Oid type;                // the answer's
  Expr* argument;          // as analysed; NULL: rows
  Node* filter;            // as analysed; NULL: none
  double probability = 0;  // a quantile's
  int edges = 0;           // a histogram's
  const double* edge = NULL;
  Expr* second = NULL;        // y of pairs, where the argument is x
  bool second_first = false;  // in the call, y is before x
};

enum class ReleasedEnd { answer, low, high, grouping };

struct QueryGrouping {  // GROUPING(key, ...)
  int keys;
  const int* key;
};

struct ReleasedValue {
  int aggregate;  // -1: of GROUPING, or the end of an expression's interval
  ReleasedEnd end;
  double level;  // the interval's; any double that the caller wrote
  Oid type;
  QueryGrouping grouping = {};
  const Expr* expression = NULL;  // one over a released row: this is an end of its interval
};

struct QueryKey {  // a key of GROUP BY
  Expr* expression;
  Oid type;
  int32 typmod;
  Oid collation;
  const SortGroupClause* clause;
};

// What bounds the rows of FROM that belong to one privacy unit: that of the first protected table.
struct JoinedRows {
  bool sampled;               // they are, by that table's unit column: nothing else bounds them
  int most;                   // rows of one unit that count
  bool picked;                // if not sampled: one of each unit is, on its shard
  Expr* apart;                // for each value of this expression, never NULL; NULL: there is none
  Adjacency adjacency;        // how these rows differ between neighbours of any of the tables
  const char* multiplied_by;  // a public table of which a row may meet several; NULL: there is none
  Bitmapset* alone;           // varnos of tables without inheritance children, read without any
  // varnos of the first protected table and those of which a row of it meets one at most; and of
  // those of which it may meet several. A row of any other follows from these.
  Bitmapset *first, *several;
};

// GROUPING SETS, ROLLUP and CUBE, multiplied out.
struct QuerySets {
  int count;
  const KeySet* keys;  // those of each set, once
  int answers;
  const int* order;  // the sets in the order of the answer, as often as they are asked for
};

struct ReleasedColumns;

struct QueryShape {
  int keys;  // those of GROUP BY in its order, each expression once
  QueryKey* key;
  const QuerySets* sets;  // NULL: one set, of all keys
  int aggregates;         // each once
  QueryAggregate* aggregate;
  int values;  // each once
  ReleasedValue* value;
  Node* where;  // safe
  ReleasedColumns* released;
  List* from;  // FROM, with safe conditions
  JoinedRows joined;
};

}  // namespace dpmix::pg
