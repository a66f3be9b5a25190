// The statistics aggregates as Citus computes them on the shards of a distributed table, and how
// the states come together (src/sql/14_shards.sql says why each has such a form).
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// dpmix_internal.joined_states(dpmix_internal.array_agg(...)): the value of a statistics aggregate
// over such a table. Any other aggregate as it is, as Citus knows it.
Expr* on_shards(Aggref* aggregate);

// The same as text: before the arguments of dpmix.<aggregate>, and after them.
void begin_statistic(StringInfo sql, const char* aggregate, bool on_shards);
void end_statistic(StringInfo sql, const char* aggregate, bool on_shards);

}  // namespace dpmix::pg
