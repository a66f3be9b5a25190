// Functions of texts in row expressions. PostgreSQL's own, where no text can make them raise:
// - lengths are constants, and patterns are read before a row is;
// - a text is at most 4 MB long (dpmix_internal.short_text gives NULL for a longer one), and no
// result can
//   be longer than 128 MB, so that buffers of several times the text stay below a value's 1 GB;
// - all texts that a query computes of one row stay below 1 GB together: so does a row of group
//   keys, and no row can make the server run out of memory;
// - what changes case converts characters, which fails for some of a multi-byte encoding other than
//   UTF-8: it is on the list where the encoding or the collation rules that out;
// - what searches refuses a collation that is not deterministic, before 18, at the first row.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_text_function(const SafeCall* call, SafePart* made);

}  // namespace dpmix::pg
