#include "pg/construct_names.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

const char* expression_name(const Node* node) {
  switch (nodeTag(node)) {
    case T_NamedArgExpr:
      return "a named argument is";
    case T_XmlExpr:
      return "XML is";
    case T_GroupingFunc:
      return "GROUPING is";
    case T_ArrayCoerceExpr:
      return "a cast of an array is";
    case T_ConvertRowtypeExpr:
      return "a cast of a row value is";
    default:
      return "an expression of a kind that is on no list is";
  }
}

}  // namespace dpmix::pg
