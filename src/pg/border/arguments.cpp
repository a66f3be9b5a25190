#include "pg/border/arguments.hpp"

#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"

extern "C" {
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {

const char* parameter_name(FunctionCallInfo fcinfo, int n) {
  const Oid function = fcinfo->flinfo->fn_oid;
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for function %u", function);
  bool nameless, plain;
  const Datum names = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargnames, &nameless);
  const Datum modes = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargmodes, &plain);
  char** name = NULL;
  const int count = nameless ? 0 : get_func_input_arg_names(names, plain ? (Datum)0 : modes, &name);
  ReleaseSysCache(tuple);
  return n < count && name[n] != NULL ? name[n] : psprintf("argument %d", n + 1);
}

void require_argument(FunctionCallInfo fcinfo, int n) {
  if (!PG_ARGISNULL(n)) return;
  refuse_argument(
      psprintf("%s must not be NULL", parameter_name(fcinfo, n)),
      psprintf("It is argument %d of dpmix.%s.", n + 1, get_func_name(fcinfo->flinfo->fn_oid)),
      "Give it a value, or leave it out where it has a default.");
}

void require_stated(FunctionCallInfo fcinfo, int n, const char* example) {
  if (!PG_ARGISNULL(n)) return;
  const char* function = get_func_name(fcinfo->flinfo->fn_oid);
  refuse_argument(psprintf("%s is missing", parameter_name(fcinfo, n)),
                  psprintf("It is argument %d of dpmix.%s, and has no default.", n + 1, function),
                  psprintf("Add %s.", example));
}

void require_arguments(FunctionCallInfo fcinfo, int count) {
  for (int i = 0; i < count; i++) require_argument(fcinfo, i);
}

void require_range(const char* what, int64 value, int64 least, int64 most, const char* hint) {
  if (value >= least && value <= most) return;
  refuse_argument(
      psprintf("%s out of range", what),
      psprintf("%s is " INT64_FORMAT "; it must be between " INT64_FORMAT " and " INT64_FORMAT ".",
               what, value, least, most),
      hint);
}

void require_range(FunctionCallInfo fcinfo, int n, int64 value, int64 least, int64 most,
                   const char* hint) {
  if (value < least || value > most) {
    require_range(parameter_name(fcinfo, n), value, least, most, hint);
  }
}

void refuse_word(const char* what, const char* word, const char* words) {
  refuse_argument(psprintf("unknown %s", what),
                  psprintf("%s is \"%s\"; it must be %s.", what, quoted_prefix(word), words),
                  "Use one of these words.");
}

double checked_level(double level) {
  if (!(level > 0 && level < 1)) {
    refuse_argument("the level of an interval lies between 0 and 1",
                    psprintf("level is %g.", level), "0.95 is usual.");
  }
  return level;
}

Guarantee gaussian_guarantee(FunctionCallInfo fcinfo, int n) {
  require_stated(fcinfo, n, "epsilon => 1, what the release may reveal at most");
  require_stated(fcinfo, n + 1, "delta => 1e-6");
  const Guarantee asked = {PG_GETARG_FLOAT8(n), PG_GETARG_FLOAT8(n + 1)};
  guard([&] { check_epsilon_delta(asked.epsilon, asked.delta); });
  if (asked.delta == 0) {
    refuse_argument("delta must be above 0", "The noise of this release is Gaussian.",
                    "Use a delta well below one over the number of rows, such as 1e-6.");
  }
  return asked;
}

}  // namespace dpmix::pg
