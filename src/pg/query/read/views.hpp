// A view in the text of a query stands for its SELECT, as if that were written in its place.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Whether it is a view over protected tables or facades, and no facade itself. Locked, if so.
bool is_private_view(Oid relation);

// Puts the queries of views over protected tables or facades in their place, within what is
// declared of their columns (view_domains.hpp), in a query just analysed and all within it; other
// views are left as they are. A view lends no rights: whether the user may ask a table is looked at
// where it is opened. Nor does it ask for any: its SELECT is no secret in the catalog.
void read_queries_of_views(Query* query);

}  // namespace dpmix::pg
