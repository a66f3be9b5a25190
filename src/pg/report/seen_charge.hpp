// A charge that dpmix.ledger shows to the current user.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// PV006 where it does not, whether or not there is such a charge.
void require_seen(int64 id);

}  // namespace dpmix::pg
