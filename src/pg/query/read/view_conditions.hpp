// Conditions on the block column of a table under a view, which a text has beside the view.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Repeats such conditions of WHERE in the query of a view that only chooses, joins and computes
// rows, so that they stand beside the table and narrow what it is read in. They stay where they
// are, so the text means what it did. varno: that of the view in the text.
void repeat_block_conditions(const Query* text, int varno, Oid view, Query* body);

}  // namespace dpmix::pg
