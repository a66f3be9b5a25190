// What the catalog knows of a protected table, read as the extension's owner on behalf of a caller.
// All pointers are palloc'd in the caller's memory context.
#pragma once

#include "core/accounting/filter.hpp"
#include "core/base/adjacency.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

struct ProtectedTable {
  int64 id;  // dpmix.protected_table.id
  Oid relation;
  Oid user;          // whose access was looked at: who pays
  Oid owner;         // scans run with its rights
  const char* name;  // qualified and quoted
  Adjacency adjacency;
  Accountant accountant;
  double order;         // of `renyi`; 0 under the others
  const char* epsilon;  // the budget now in force, as decimals
  const char* delta;
  AttrNumber label;    // InvalidAttrNumber unless adjacency is label
  Oid granted_to;      // the role whose grant gives the current user access; InvalidOid: owner,
                       // superuser
  AttrNumber unit;     // of the privacy unit; InvalidAttrNumber: a row
  int rows_of_unit;    // that a release may use, at most
  bool samples_units;  // a unit may have more rows than that, or several
};

// PV006 unless the table is protected and the current user has access (without telling which, to a
// user with no rights on it). Also rechecks what must hold at every charge: the column of a
// declared privacy unit (PV005), no FORCE ROW LEVEL SECURITY (PV002). Takes AccessShareLock, kept.
// PV002 where a privacy unit may have several rows: most releases are proved for one.
PGDLLEXPORT ProtectedTable* open_protected(Oid relation);
// The same for a release that samples the rows of each unit where samples_units says so.
ProtectedTable* open_protected_units(Oid relation);

struct ColumnDomain {
  bool has_bounds;
  double lower, upper;
  int categories;   // 0: none declared
  char** category;  // text forms, as declared
};

// Of a live column; empty when the owner stated nothing.
ColumnDomain column_domain(const ProtectedTable* table, AttrNumber column);
// The same, or PV003 with a hint that names set_bounds / set_categories.
ColumnDomain require_bounds(const ProtectedTable* table, AttrNumber column);
ColumnDomain require_categories(const ProtectedTable* table, AttrNumber column);

// Runs body as the extension's owner (who owns the catalog) with search_path pg_catalog, inside
// an SPI connection. For reading and writing the catalog; never for a caller's text.
void as_catalog_owner(void (*body)(void* arg), void* arg);
// A table or view of the catalog; InvalidOid without it, as in a database of an earlier version.
Oid catalog_table(const char* name);
Oid catalog_owner();  // PV004 without the extension

Oid relation_owner(Oid relation);  // InvalidOid when it is gone

}  // namespace dpmix::pg
