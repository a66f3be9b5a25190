// dpmix_internal.whole: a value with what of it is stored out of line.
#include "pg/process/release_plan.hpp"

extern "C" {
#include "access/detoast.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_whole);
}

namespace {

// Whether values of the argument's type may be stored elsewhere; looked up once for each place that
// it is called from.
bool may_be_stored_elsewhere(FmgrInfo* call) {
  static bool yes = true, no = false;
  if (call->fn_extra == NULL) {
    const Oid type = get_fn_expr_argtype(call, 0);
    if (!OidIsValid(type)) elog(ERROR, "dpmix_internal.whole does not know its type");
    call->fn_extra = get_typlen(type) == -1 ? &yes : &no;
  }
  return *(const bool*)call->fn_extra;
}

}  // namespace

Datum dpmix_whole(PG_FUNCTION_ARGS) {
  dpmix::pg::require_release_plan(fcinfo);
  const Datum argument = PG_GETARG_DATUM(0);
  if (!may_be_stored_elsewhere(fcinfo->flinfo)) PG_RETURN_DATUM(argument);
  struct varlena* value = (struct varlena*)DatumGetPointer(argument);
  PG_RETURN_POINTER(VARATT_IS_EXTERNAL(value) ? detoast_external_attr(value) : value);
}
