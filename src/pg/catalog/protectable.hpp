// What must hold of the table itself, at protect() and again at every charge.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

// The column of a declared privacy unit has to be there, of a type whose values are told apart
// safely; PV005. True: the rows of a unit have to be sampled, because it may have more than one.
// An index can come and go, so open_protected() asks again at every charge.
bool require_privacy_unit(Oid relation, const char* privacy_unit, int max_rows_per_unit);
// PV005 outside of 1 to 1000000.
void require_rows_of_unit(int max_rows_per_unit);
// Why a column does not tell units apart; NULL: it does.
const char* unit_defect(Oid relation, AttrNumber column);
// A type whose values are told apart and sorted by PostgreSQL's own code, which raises on none.
bool is_unit_type(Oid type);
// The column of a table in a population is of the type of its units (any, where there is none yet);
// PV005.
void require_unit_type(Oid relation, const char* privacy_unit, Oid type, const char* population);
// Whether, in the active snapshot, a unit may have more rows than that, or several.
bool needs_sampling(Oid relation, AttrNumber unit, int max_rows_per_unit);
// Why a relation is no ordinary or partitioned table of this server, kept ("is temporary"); NULL
// where it is one.
const char* unprotectable_kind(Oid relation);
// PV005 unless it is one.
void require_protectable(Oid relation);
// A snapshot from before the table was made shows none of its rows, as where a statement waited for
// a load that brought another table under the name; PV004.
void require_in_snapshot(Oid relation);
// Row-level security that also binds the owner would hide rows from the exact statistics; PV002.
void require_owner_sees_all(Oid relation);

}  // namespace dpmix::pg
