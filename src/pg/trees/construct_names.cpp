#include "pg/trees/construct_names.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

const char* expression_name(const Node* node) {
  switch (nodeTag(node)) {
    case T_NamedArgExpr:
      return "a named argument is";
    case T_XmlExpr:
      return "XML is";
    case T_ArrayCoerceExpr:
      return "a cast of an array is";
    case T_ConvertRowtypeExpr:
      return "a cast of a row value is";
    default:
      return "an expression of a kind that is on no list is";
  }
}

bool is_table(const RangeTblEntry* entry) {
  return entry->rtekind == RTE_RELATION &&
         (entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_PARTITIONED_TABLE);
}

const char* source_name(const RangeTblEntry* entry) {
  switch (entry->rtekind) {
    case RTE_FUNCTION:
      return "a function in FROM is";
    case RTE_TABLEFUNC:
      return "XMLTABLE or JSON_TABLE in FROM is";
    case RTE_VALUES:
      return "VALUES in FROM is";
    case RTE_RELATION:
      return "a relation in FROM that is no table is";
    default:
      return "FROM without a table is";
  }
}

}  // namespace dpmix::pg
