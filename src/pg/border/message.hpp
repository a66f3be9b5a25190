// Values of variable length in messages between processes.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

void put_varlena(StringInfo out, const void* value);  // neither compressed nor out of line
// Raises unless it is as long as it says itself.
struct varlena* get_varlena(StringInfo in);

}  // namespace dpmix::pg
