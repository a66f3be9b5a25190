// The picture of a table's privacy budget, for those who see it.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace dpmix::pg {

// As the viewer's roles may see it, made at a time, without what came after `until` (DT_NOEND:
// all). An SVG document in ASCII. PV006: no such budget, or not the viewer's to see. A budget must
// have been set by then. Outside guard().
text* budget_picture(Oid relation, Oid viewer, TimestampTz made, TimestampTz until);

}  // namespace dpmix::pg
