// Code that runs as the owner of a schedule, whoever called: under his user id and the settings of
// the session that made the schedule, in a security-restricted operation (no SET ROLE, no deferred
// triggers), in a subtransaction. As REFRESH MATERIALIZED VIEW does it.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// NULL: done. Else what was raised, a cancel too, after everything was undone.
ErrorData* try_as_owner(const Schedule* schedule, void (*body)(void* arg), void* arg);

}  // namespace dpmix::pg
