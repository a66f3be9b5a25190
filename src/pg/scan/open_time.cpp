#include "pg/scan/open_time.hpp"

#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

// A moment is eight bytes of any type. Other arguments are constants, or they are no such calls.
void open_time(const FuncExpr* call) {
  switch (call->funcid) {
    case F_TIMEZONE_TEXT_TIMESTAMP:
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
    case F_TO_CHAR_TIMESTAMP_TEXT:
    case F_TO_CHAR_TIMESTAMPTZ_TEXT:
      break;
    default:
      return;
  }
  Datum argument[3];
  int count = 0;
  const ListCell* cell;
  foreach (cell, call->args) {
    const Node* one = (const Node*)lfirst(cell);
    const Oid type = exprType(one);
    if (is_constant(one)) {
      argument[count++] = constant_value(one);
    } else if (type == TIMESTAMPOID || type == TIMESTAMPTZOID) {
      argument[count++] = TimestampGetDatum(0);
    } else {
      return;
    }
  }
  if (count == 2) {
    (void)OidFunctionCall2Coll(call->funcid, call->inputcollid, argument[0], argument[1]);
  } else {
    (void)OidFunctionCall3Coll(call->funcid, call->inputcollid, argument[0], argument[1],
                               argument[2]);
  }
}

}  // namespace dpmix::pg
