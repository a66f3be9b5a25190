// EXPLAIN of a statement that makes a release: after the plan, what dpmix.preview says of it. Not
// with ANALYZE, which makes it, and is charged.
#pragma once

namespace dpmix::pg {

// Called by _PG_init.
void preview_explain_init();

}  // namespace dpmix::pg
