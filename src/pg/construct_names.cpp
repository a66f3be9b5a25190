#include "pg/construct_names.hpp"

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
    case T_SubLink:
      return "a subquery in an expression is";
    case T_WindowFunc:
      return "a window function is";
    case T_GroupingFunc:
      return "GROUPING is";
    case T_CurrentOfExpr:
      return "CURRENT OF is";
    case T_MinMaxExpr:
      return "GREATEST or LEAST is";
    case T_CoerceViaIO:
      return "a cast from or to text is";
    case T_ArrayCoerceExpr:
      return "a cast of an array is";
    case T_ConvertRowtypeExpr:
      return "a cast of a row value is";
    case T_RowExpr:
    case T_RowCompareExpr:
      return "a row value is";
    case T_FieldSelect:
      return "a field of a composite value is";
    case T_SubscriptingRef:
      return "an element of an array is";
    case T_ArrayExpr:
      return "an array that is not constant is";
    case T_SQLValueFunction:
      return "CURRENT_DATE, CURRENT_USER and the like are";
    case T_Aggref:
      return "an aggregate is";
    default:
      return "an expression of a kind that is on no list is";
  }
}

const char* source_name(const RangeTblEntry* entry) {
  switch (entry->rtekind) {
    case RTE_SUBQUERY:
      return "a subquery in FROM is";
    case RTE_FUNCTION:
      return "a function in FROM is";
    case RTE_TABLEFUNC:
      return "XMLTABLE or JSON_TABLE in FROM is";
    case RTE_VALUES:
      return "VALUES in FROM is";
    case RTE_CTE:
      return "WITH is";
    case RTE_RELATION:
      return entry->relkind == RELKIND_VIEW            ? "a view in FROM is"
             : entry->relkind == RELKIND_MATVIEW       ? "a materialized view in FROM is"
             : entry->relkind == RELKIND_FOREIGN_TABLE ? "a foreign table in FROM is"
                                                       : "a relation in FROM that is no table is";
    default:
      return "FROM without a table is";
  }
}

}  // namespace dpmix::pg
