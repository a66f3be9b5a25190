// Code that runs as the owner of a schedule, whoever called: under his user id and the settings of
// the session that made the schedule, in a security-restricted operation (no SET ROLE, no deferred
// triggers), in a subtransaction. As REFRESH MATERIALIZED VIEW does it.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// NULL: done. Else what was raised, a cancel too, after everything was undone.
ErrorData* error_as_owner(const Schedule* schedule, Action body);

}  // namespace dpmix::pg
