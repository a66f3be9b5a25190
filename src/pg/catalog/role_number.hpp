// Roles as the record knows them: by a number that a role of the same name made later does not get.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Of a role; made where it has none, and its name kept where it is new. Inside as_catalog_owner().
int64 role_number(Oid role, const char* name);
int64 role_number(Oid role);  // under its present name
// From another cluster: numbers are bound to the roles that have their names here, once; of several
// roles of one name to the last. Says which, and which found nobody; NULL: there was none to bind.
// Inside as_catalog_owner().
const char* adopt_role_numbers();

// In SQL: of the role of an oid.
#define DPMIX_NUMBERS_OF(oid) \
  "ANY (ARRAY(SELECT b.number FROM dpmix_internal.bound_role b WHERE b.oid = " oid "))"

}  // namespace dpmix::pg
