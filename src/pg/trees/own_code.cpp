#include "pg/trees/own_code.hpp"

#include "pg/border/guard.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "fmgr.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

bool own_code_only = false;
needs_fmgr_hook_type next_needs = NULL;
fmgr_hook_type next_hook = NULL;

bool is_users(Oid function) {
  return function >= FirstNormalObjectId && !is_dpmix_function(function);
}

// Asked whenever a function that is not built in is looked up. What it holds back from is also
// never inlined.
bool needs_hook(Oid function) {
  if (own_code_only && is_users(function)) return true;
  return next_needs != NULL && next_needs(function);
}

void on_call(FmgrHookEventType event, FmgrInfo* function, Datum* arg) {
  if (event == FHET_START && own_code_only && is_users(function->fn_oid)) {
    refuse(ErrorCode::query_not_allowed,
           psprintf("a release calls function %s", get_func_name(function->fn_oid)),
           "A domain's constraint, or an expression of a table's index, constraint or statistics "
           "object, would be computed while the release is planned. Only functions of PostgreSQL "
           "and dpmix may run there.",
           "Use built-in types; the table's owner drops what calls the function, or writes its "
           "result as a constant.");
  }
  if (next_hook != NULL) next_hook(event, function, arg);
}

}  // namespace

void own_code_init() {
  next_needs = needs_fmgr_hook;
  next_hook = fmgr_hook;
  needs_fmgr_hook = needs_hook;
  fmgr_hook = on_call;
}

bool set_own_code_only(bool on) {
  const bool before = own_code_only;
  own_code_only = on;
  return before;
}

}  // namespace dpmix::pg
