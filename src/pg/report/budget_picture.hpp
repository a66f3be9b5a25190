// The picture of a table's privacy budget, for those who see it.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace dpmix::pg {

// An SVG document in ASCII, as the viewer's roles may see it, made at a time, without what came
// after `until` (DT_NOEND: all). PV006: no such budget, or not the viewer's to see. A budget must
// have been set by then. Outside guard().
text* budget_picture(Oid relation, Oid viewer, TimestampTz made, TimestampTz until);

}  // namespace dpmix::pg
