// "function dpmix.relase_tree(...) does not exist" says how the call is written: the signature of
// that name, or of the nearest one. Not to who catches the error: the hint comes as it is reported.
#pragma once

namespace dpmix::pg {

void call_hint_init();  // of _PG_init

}  // namespace dpmix::pg
