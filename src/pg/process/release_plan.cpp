#include "pg/process/release_plan.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "access/parallel.h"
#include "utils/regproc.h"
}

namespace dpmix::pg {
namespace {

constexpr char kName[] = "dpmix.at_release_plan";

bool at_plan = false;
bool begins = false;

// A worker that starts takes over what its leader has.
bool may_turn_on(bool* on, void**, GucSource) {
  return !*on || begins || InitializingParallelWorker;
}

}  // namespace

void release_plan_init() {
  DefineCustomBoolVariable(kName, "On while a plan of dpmix's own runs.", NULL, &at_plan, false,
                           PGC_SUSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE,
                           may_turn_on, NULL, NULL);
}

bool at_release_plan() {
  return at_plan;
}

void refuse_direct_call(FunctionCallInfo fcinfo) {
  refuse(ErrorCode::query_not_allowed,
         psprintf("%s is no function to call", format_procedure(fcinfo->flinfo->fn_oid)),
         "Plans of dpmix's own are made of it.", "Ask with dpmix.query().");
}

void begin_release_plan() {
  begins = true;
  PG_TRY();
  { set_for_now({kName, "on"}, PGC_SUSET); }
  PG_FINALLY();
  { begins = false; }
  PG_END_TRY();
}

}  // namespace dpmix::pg
