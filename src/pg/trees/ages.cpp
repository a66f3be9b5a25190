#include "pg/trees/ages.hpp"

#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {

// age(x) as PostgreSQL defines it: age(midnight of today, x). NULL: another call.
FuncExpr* age_from_today(const FuncExpr* call) {
  const bool zoned = call->funcid == F_AGE_TIMESTAMPTZ;
  if (!zoned && call->funcid != F_AGE_TIMESTAMP) return NULL;
  SQLValueFunction* today = makeNode(SQLValueFunction);
  today->op = SVFOP_CURRENT_DATE;
  today->type = DATEOID;
  today->typmod = today->location = -1;
  Expr* midnight = call_builtin(zoned ? F_TIMESTAMPTZ_DATE : F_TIMESTAMP_DATE,
                                zoned ? TIMESTAMPTZOID : TIMESTAMPOID, list_make1(today));
  return (FuncExpr*)call_builtin(zoned ? F_AGE_TIMESTAMPTZ_TIMESTAMPTZ : F_AGE_TIMESTAMP_TIMESTAMP,
                                 INTERVALOID, list_make2(midnight, linitial(call->args)));
}

}  // namespace dpmix::pg
