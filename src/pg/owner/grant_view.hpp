// A grant on a view: on each protected table that it reads, for texts that name the table through
// the view alone (query/read/granted_views.hpp).
#pragma once

#include "pg/border/value.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

struct GrantTerms {  // texts of numbers; NULL: no limit
  const char *epsilon, *least;
  Value most;
  const char* share;
};

// Oids of the protected tables that a view reads, by itself, through views and facades, and those
// through which their rows belong to units. Locked. NIL: it is no view of any.
List* tables_below(Oid view);

// For who owns the view and all of its tables (42501). PV005: a temporary view, one that is read by
// its invoker or whose owner has not the rights of theirs, or a table whose rows are units: no view
// of it can be asked. The view stays locked.
void require_owned_view(Oid view, const List* tables);
// A NOTICE: what anybody can read of it.
void tell_of_public_text(Oid view);

// The same, and what it says.
void grant_view(Oid view, const List* tables, Oid role, const GrantTerms& terms);
// False: there was no such grant.
bool revoke_view(Oid view, Oid role);

}  // namespace dpmix::pg
