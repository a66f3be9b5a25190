#include "pg/query/keys/moved_in_time.hpp"

#include "pg/trees/nodes.hpp"

extern "C" {
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

Node* moved_in_time(const Node* node) {
  const bool operation = IsA(node, OpExpr);
  if (!operation && !IsA(node, FuncExpr)) return NULL;
  const Oid function =
      operation ? get_opcode(((const OpExpr*)node)->opno) : ((const FuncExpr*)node)->funcid;
  const List* arguments = operation ? ((const OpExpr*)node)->args : ((const FuncExpr*)node)->args;
  switch (function) {
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
    case F_TIMEZONE_TEXT_TIMESTAMP:
      return is_constant((Node*)linitial(arguments)) ? (Node*)lsecond(arguments) : NULL;
    case F_DATE_PL_INTERVAL:
    case F_DATE_MI_INTERVAL:
    case F_TIMESTAMP_PL_INTERVAL:
    case F_TIMESTAMP_MI_INTERVAL:
    case F_TIMESTAMPTZ_PL_INTERVAL:
    case F_TIMESTAMPTZ_MI_INTERVAL: {
      const Node* by = (const Node*)lsecond(arguments);
      const bool even = is_constant(by) && DatumGetIntervalP(constant_value(by))->month == 0;
      return even ? (Node*)linitial(arguments) : NULL;
    }
    default:
      return NULL;
  }
}

}  // namespace dpmix::pg
