// FROM of a private query: facades become their protected tables.
#pragma once

#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

struct PrivateTables {
  int count;
  struct Table {
    int varno;  // that in the caller's query; in the text it is the place in this list, from 1
    Oid relation;
    const Facade* facade;  // NULL: a table itself
  } * table;
};

// PV002: FROM has something else than tables and facades.
PrivateTables private_tables(const Query* query);
// The column of the text's query that a column of the caller's stands for. PV002: a whole row, a
// column of an outer query, one that the table has no more.
Var* column_in_text(const PrivateTables* tables, const Var* column);
// Their entries, in a new query, with FROM as in the caller's; conditions are not changed.
void put_tables(const PrivateTables* tables, const Query* query, Query* made);

// The tables were locked to be named; the process that reads them locks them again.
void unlock_tables(const PrivateTables* tables);

}  // namespace dpmix::pg
