// Roles as the record knows them: by a number that a role of the same name made later does not get.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// The number of a role; made where it has none, and its name kept where that is new. Call inside
// as_catalog_owner().
int64 role_number(Oid role, const char* name);
int64 role_number(Oid role);  // under its present name
// Binds numbers from another cluster to the roles that have their names here, once; of several
// roles of one name to the last. Says which, and which found nobody; NULL: there was none to bind.
// Call inside as_catalog_owner().
const char* adopt_role_numbers();

// SQL, to the right of `=`: any number of the role with this oid.
#define DPMIX_NUMBERS_OF(oid) \
  "ANY (ARRAY(SELECT b.number FROM dpmix_internal.bound_role b WHERE b.oid = " oid "))"

}  // namespace dpmix::pg
