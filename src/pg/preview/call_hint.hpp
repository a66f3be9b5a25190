// "function dpmix.relase_tree(...) does not exist" says how the call is written: the signature of
// that name, or of the nearest one. Who catches the error does not see it: the hint comes as the
// error is reported.
#pragma once

namespace dpmix::pg {

void call_hint_init();  // called by _PG_init

}  // namespace dpmix::pg
