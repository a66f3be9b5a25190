// The way to a protected table: every charge begins here.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// A grant on a view is for texts that name the table through that view alone
// (query/read/granted_views.hpp looks at them): then they open it as named in a text.
enum class Named { in_call, in_text };

// PV006 unless the table is protected and the current user has access (without telling which, to a
// user with no rights on it). Also rechecks what must hold at every charge: the column of a
// declared privacy unit (PV005), no FORCE ROW LEVEL SECURITY (PV002). Takes AccessShareLock, kept.
// PV002 where a privacy unit may have several rows: most releases are proved for one; and where the
// unit is found through a link. In the caller's memory context.
PGDLLEXPORT ProtectedTable* open_protected(Oid relation);
// What each of them checks of the transaction first: PV002 where it is SERIALIZABLE.
void require_asking_session();
// The same for a release that samples the rows of each unit where samples_units says so.
PGDLLEXPORT ProtectedTable* open_protected_units(Oid relation, Named named = Named::in_call);
// The same for a release that finds units through links, and reads the tables on the way: the user
// needs access to them, too, and their keys must hold (require_link). The table may have no link.
PGDLLEXPORT ProtectedTable* open_linked(Oid relation, Named named = Named::in_call);
// Whether it is a table with a link, of anybody\'s.
bool is_linked(Oid relation);
// PV002 where it says so.
void refuse_several_rows(const ProtectedTable* table);
// Once its scan is planned: where a unit has one row, that is true of the partitions and children
// that are read (require_parts_in_snapshot).
PGDLLEXPORT void require_planned_rows(const ProtectedTable* table);

}  // namespace dpmix::pg
