// EXPLAIN of a statement over facades: after the plan, what each answer would cost. Nothing is
// charged.
#pragma once

namespace dpmix::pg {

// Called by _PG_init.
void plain_explain_init();

}  // namespace dpmix::pg
