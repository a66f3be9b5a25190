// The catalog's row of a table, as the functions that read and write the catalog see it.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct CatalogRow {
  int64 id;
  Oid relation;  // InvalidOid: the record is vacant
  Oid owner;     // of the record: the table's, whoever it was given to; InvalidOid: nobody here
  bool active;
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
};

// With the relation locked. NULL when the catalog knows neither its oid nor its name; PV004 when
// they disagree, as they do in a restored database. Not active: the record of a name once
// protected, whose charges a new protect() by its owner resumes.
CatalogRow* find_catalog_row(Oid relation);

}  // namespace dpmix::pg
