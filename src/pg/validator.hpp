// Which queries may run over a protected table: pure checking of an analysed Query tree.
//
// Enters: a tree as parse analysis made it. Leaves: its shape, in terms of one table's columns; or
// PV002, which names the construct and what to write instead. Nothing is on the list but what is
// known to be safe: one table, plain columns, total functions (allow_list.hpp), dp_* aggregates,
// dp_low and dp_high of these.
// Reads the system catalogs only: no rights, budgets or domains are looked at.
#pragma once

#include "pg/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

enum class ItemKind { key, count_rows, count_values, sum, mean };
enum class ItemEnd { answer, low, high };  // the answer, or an end of the interval around it

struct QueryItem {  // of the select list
  ItemKind kind;
  const char* name;   // of the output column
  Oid type;           // of the output column
  AttrNumber column;  // the key, or what is aggregated; InvalidAttrNumber for dp_count(*)
  ItemEnd end = ItemEnd::answer;
  double level = 0;  // of the interval; any double that the caller wrote
};

struct QueryKey {  // of GROUP BY
  AttrNumber column;
  const SortGroupClause* clause;
};

struct QueryShape {
  Oid relation;
  int items;
  QueryItem* item;
  int keys;  // in the order of GROUP BY, each column once
  QueryKey* key;
};

// The first table that the query names, for the check of access that comes before all others;
// PV002 when there is none.
Oid table_of(const Query* query);

QueryShape* validate(const Query* query);

}  // namespace dpmix::pg
