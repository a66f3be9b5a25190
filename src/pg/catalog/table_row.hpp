// The catalog's row of a table, as the functions that read and write the catalog see it.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

struct LinkTerms {      // a row is of the unit of that table's row whose key it names
  int64 record;         // that table's
  const char* through;  // the name of this record, qualified and quoted
  Oid declared;         // the table that had the record then
  Oid present;          // the one that has it now and is protected; InvalidOid: there is none
  int columns;
  char** name;  // in the order of the declaration
  AttrNumber* column;
  char** target_name;
  AttrNumber* target_column;
};

struct CatalogRow {
  int64 id;
  Oid relation;  // InvalidOid: the record is vacant
  Oid owner;     // of the record: the table's, whoever it was given to; InvalidOid: nobody here
  bool active;
  bool waiting;  // vacant: the next table of its owner under the name is protected, if it suits
  bool guard_unit, strict;  // as arguments of protect()
  const char* adjacency;
  const char* accountant;
  double order;
  const char* privacy_unit;  // NULL: a row
  int max_rows_per_unit;
  const char* label;    // NULL unless adjacency is label
  const char* epsilon;  // the newest budget of its account
  const char* delta;
  int64 account;  // whose charges add up with the table's: id, another record's, a population's
  const char* population;  // NULL: the account is its own
  Oid unit_type;           // of that population
  bool population_blocks;  // that population has a budget for each block
  const LinkTerms* link;   // NULL: the table has none
};

// The record of a relation, which must be locked. NULL when the catalog knows neither its oid nor
// its name; PV004 when they disagree, as they do in a restored database. Not active: the record of
// a name once protected, whose charges a new protect() by its owner resumes.
CatalogRow* find_catalog_row(Oid relation);

// PV006: the record of this name waits, and the table that has the name did not suit it.
[[noreturn]] void refuse_vacant(const char* name, bool owner);

}  // namespace dpmix::pg
