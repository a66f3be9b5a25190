// The view behind a facade: PostgreSQL's own commands, run as its owner.
//
//     CREATE VIEW private.cps AS SELECT g.region, g.wage
//     FROM dpmix_internal.facade_guard('7') AS g(region text, wage double precision)
//
// Its columns are those of a function, not constants: the planner folds what it knows of constants,
// and would answer WHERE region = 'west' with no rows, without calling the guard.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// A command that names everything in full, as if this role had written it. Outside
// as_catalog_owner().
void run_command(Oid role, const char* command);

// The columns of a view that stands for the relation: those that the view has (InvalidOid: there is
// none yet), then the relation's others. PV005 where there is none.
void make_facade_view(Oid role, const char* name, int64 id, Oid relation, Oid view);

}  // namespace dpmix::pg
