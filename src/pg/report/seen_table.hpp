// Whose budgets a role sees: as dpmix.budget decides it, for functions that the view itself calls.
#pragma once

#include "pg/catalog/table_row.hpp"

namespace dpmix::pg {

struct SeenTable {  // texts in the memory of SPI's caller
  int64 id, account;
  bool active;
  bool audited;  // the role audits it: it sees all of the record
  const char* accountant;
  double order;
  const char *epsilon, *delta;  // the newest budget
};

// A table that the role owns, also after unprotect; or one that is protected and that it audits, or
// to which it has access. Inside as_catalog_owner().
bool find_seen_table(Oid relation, Oid viewer, SeenTable* found);

// Whether the current user sees all of the table's record, as its owner does.
bool audits(Oid relation);

// The record of a table whose budget the current user sees in dpmix.budget. PV006.
const CatalogRow* require_seen_budget(Oid relation);

}  // namespace dpmix::pg
