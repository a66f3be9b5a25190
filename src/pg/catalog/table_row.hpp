// The catalog's row of a table, as the functions that read and write the catalog see it.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

struct CatalogRow {
  int64 id;
  Oid relation;  // InvalidOid: dropped since
  bool active;
  const char* adjacency;
  const char* accountant;
  double order;
  const char* privacy_unit;  // NULL: a row
  int max_rows_per_unit;
  const char* label;    // NULL unless adjacency is label
  const char* epsilon;  // the newest budget
  const char* delta;
};

// Inside as_catalog_owner(), with the relation locked. NULL when the catalog knows neither its oid
// nor its name; PV004 when they disagree, as they do in a restored database. Not active: the
// record of a table once protected, whose charges a new protect() resumes.
CatalogRow* find_catalog_row(Oid relation);
// The same from anywhere else.
CatalogRow* look_up_catalog_row(Oid relation);

// The column of a declared privacy unit has to be there, of a type whose values are told apart
// safely; PV005. True: the rows of a unit have to be sampled, because it may have more than one.
// An index can come and go, so open_protected() asks again at every charge.
bool require_privacy_unit(Oid relation, const char* privacy_unit, int max_rows_per_unit);
// Whether, in the active snapshot, a unit may have more rows than that, or several.
bool needs_sampling(Oid relation, AttrNumber unit, int max_rows_per_unit);
// Why a relation is no ordinary or partitioned table of this server, kept ("is temporary"); NULL
// where it is one.
const char* unprotectable_kind(Oid relation);
// PV005 unless it is one.
void require_protectable(Oid relation);
// Row-level security that also binds the owner would hide rows from the exact statistics; PV002.
void require_owner_sees_all(Oid relation);

const char* qualified_name(Oid relation);

}  // namespace dpmix::pg
