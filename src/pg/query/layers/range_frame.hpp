// RANGE frames with offsets: rows whose value is near. No row's value makes the nearness fail.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Whether the frame is a RANGE with an offset.
bool has_range_offset(const WindowClause* window);
// Makes the offsets of a window with such a frame, in the type of its order, which is made already.
void make_range_frame(Query* made, WindowClause* window);
// The frame that those take that look at none.
void drop_frame(WindowClause* window);

}  // namespace dpmix::pg
