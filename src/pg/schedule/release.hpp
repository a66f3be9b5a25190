// The release of one period: charged, made and stored by one statement.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// Makes the period's release as the owner (try_as_owner). Whatever can be refused is refused before
// the charge.
void make_release(const Schedule* schedule, int64 period);

// Whether an error is of another class than cancels, ends of the server and lacks of memory.
bool is_refusal(const ErrorData* error);

}  // namespace dpmix::pg
