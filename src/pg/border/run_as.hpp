// Code that runs as another role. An error ends it with its (sub)transaction, whose abort puts the
// role back.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// No SET ROLE inside; restricted: nor deferred triggers, new temporary tables and the like.
void run_as(Oid user, bool restricted, Action body);

}  // namespace dpmix::pg
