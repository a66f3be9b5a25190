#include "pg/validator.hpp"

extern "C" {
#include "access/attnum.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

#include "pg/allow_list.hpp"
#include "pg/compat.hpp"
#include "pg/guard.hpp"

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse(const char* construct, const char* instead) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("%s not allowed on a protected table", construct),
                  errdetail("A private query reads one protected table, filters its rows by "
                            "comparisons, groups them by declared categories, and returns group "
                            "keys and dp_* aggregates of plain columns."),
                  errhint("%s", instead)));
  pg_unreachable();
}

constexpr const char* kOuterQuery =
    "Put it into the outer query: SELECT ... FROM dpmix.query(...) AS t(...).";
constexpr const char* kOneTable = "Name the protected table itself, once, in FROM.";

void check_clauses(const Query* query) {
  const struct {
    bool present;
    const char *construct, *instead;
  } clauses[] = {
      {query->commandType != CMD_SELECT || query->utilityStmt != NULL,
       "a statement other than SELECT is", kOuterQuery},
      {query->cteList != NIL, "WITH is", kOneTable},
      {query->setOperations != NULL, "UNION, INTERSECT or EXCEPT is",
       "Call dpmix.query once for each part."},
      {query->hasSubLinks, "a subquery in an expression is",
       "Compare columns with constants, or pass a value as $1 with params."},
      {query->hasWindowFuncs || query->windowClause != NIL, "a window function is", kOuterQuery},
      {query->hasTargetSRFs, "a set-returning function is", kOuterQuery},
      {query->groupingSets != NIL, "GROUPING SETS, ROLLUP, CUBE or GROUP BY () is",
       "Call dpmix.query once for each grouping."},
      {query->distinctClause != NIL, "DISTINCT is",
       "Use GROUP BY: every declared group comes back once."},
      {query->havingQual != NULL, "HAVING is", kOuterQuery},
      {query->sortClause != NIL, "ORDER BY is", kOuterQuery},
      {query->limitCount != NULL || query->limitOffset != NULL, "LIMIT, OFFSET or FETCH is",
       kOuterQuery},
      {query->rowMarks != NIL || query->hasForUpdate, "a row lock (FOR UPDATE, FOR SHARE) is",
       "Leave it out: the answer is computed from one snapshot."},
  };
  for (const auto& clause : clauses) {
    if (clause.present) refuse(clause.construct, clause.instead);
  }
}

const RangeTblEntry* check_table(const Query* query) {
  if (list_length(query->jointree->fromlist) != 1 || list_length(query->rtable) != 1 ||
      !IsA(linitial(query->jointree->fromlist), RangeTblRef)) {
    refuse("a join, a second table or a subquery in FROM is", kOneTable);
  }
  const RangeTblEntry* table = linitial_node(RangeTblEntry, query->rtable);
  if (table->rtekind != RTE_RELATION ||
      (table->relkind != RELKIND_RELATION && table->relkind != RELKIND_PARTITIONED_TABLE)) {
    refuse("FROM something other than a table is", kOneTable);
  }
  if (!table->inh) {
    refuse("ONLY is", "Leave it out: partitions and inheriting tables belong to the table.");
  }
  if (table->tablesample != NULL) {
    refuse("TABLESAMPLE is", "Leave it out: sampling would change the noise that is needed.");
  }
  return table;
}

// A live column of the one table, of a type that calls nobody's code.
void check_column(const Var* var, Oid relation) {
  if (var->varlevelsup != 0 || var->varno != 1) refuse("an outer reference is", kOneTable);
  if (var->varattno == InvalidAttrNumber) {
    refuse("a whole-row reference is", "Name the columns that you need.");
  }
  if (var->varattno < 0) refuse("a system column is", "Use the columns that the table declares.");
  if (!is_own_type(var->vartype)) {
    refuse("a column of a user-defined type or domain is",
           "Use columns of built-in or enum types; the owner can add one of those.");
  }
  HeapTuple tuple =
      SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(var->varattno));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for column %d", var->varattno);
  const char generated = ((Form_pg_attribute)GETSTRUCT(tuple))->attgenerated;
  ReleaseSysCache(tuple);
  if (generated != '\0' && generated != ATTRIBUTE_GENERATED_STORED) {
    refuse("a virtual generated column is",
           "Its expression could fail on a row: use stored columns.");
  }
}

constexpr const char* kComparisons =
    "Compare plain columns with constants by =, <>, <, <=, > and >=, IN, BETWEEN, IS NULL and "
    "boolean operators. What could fail on a row, such as arithmetic or a narrowing cast, goes to "
    "the constant's side.";

[[noreturn]] void refuse_call(const char* kind, Oid id, const char* name) {
  refuse(psprintf("the %s%s %s in WHERE is", id >= FirstUnpinnedObjectId ? "user-defined " : "",
                  kind, name != NULL ? name : "?"),
         kComparisons);
}

void check_operator(Oid op, Oid function, Oid collation) {
  if (op < FirstUnpinnedObjectId && is_total_comparison(function, collation)) return;
  if (op < FirstUnpinnedObjectId && is_total_comparison(function, C_COLLATION_OID)) {
    refuse("comparing text under a user-defined collation is",
           "Add COLLATE \"C\", or another collation of pg_catalog.");
  }
  refuse_call("operator", op, get_opname(op));
}

bool is_operand_type(Oid type) {
  const Oid element = get_element_type(type);
  return is_own_type(OidIsValid(element) ? element : type);
}

// True is never returned: what is not on the list raises.
bool check_condition(Node* node, void* arg) {
  if (node == NULL) return false;
  const Oid relation = *(const Oid*)arg;
  switch (nodeTag(node)) {
    case T_Var:
      check_column((Var*)node, relation);
      return false;
    case T_Const:
      if (!is_operand_type(((Const*)node)->consttype)) {
        refuse("a constant of a user-defined type or domain is", "Use built-in and enum types.");
      }
      return false;
    case T_List:
    case T_BoolExpr:
    case T_BooleanTest:
      break;
    case T_NullTest:
      if (((NullTest*)node)->argisrow) refuse("a test of a row value is", "Test single columns.");
      break;
    case T_RelabelType:
      if (!is_operand_type(((RelabelType*)node)->resulttype)) {
        refuse("a cast to a user-defined type or domain is", "Use built-in and enum types.");
      }
      break;
    case T_OpExpr: {
      OpExpr* op = (OpExpr*)node;
      set_opfuncid(op);
      check_operator(op->opno, op->opfuncid, op->inputcollid);
      break;
    }
    case T_ScalarArrayOpExpr: {
      ScalarArrayOpExpr* op = (ScalarArrayOpExpr*)node;
      set_sa_opfuncid(op);
      check_operator(op->opno, op->opfuncid, op->inputcollid);
      Node* array = (Node*)lsecond(op->args);
      if (IsA(array, RelabelType)) array = (Node*)((RelabelType*)array)->arg;
      if (!IsA(array, Const)) {
        refuse("an array that is not constant is",
               "Write the values as constants, or pass them as $1.");
      }
      break;
    }
    case T_FuncExpr: {
      const FuncExpr* call = (FuncExpr*)node;
      if (call->funcretset || !is_widening_cast(call->funcid)) {
        refuse_call("function", call->funcid, get_func_name(call->funcid));
      }
      break;
    }
    case T_Param:
      refuse("an internal parameter is", "Pass values as $1, $2, ... with params.");
    case T_CoerceToDomain:
      refuse("a cast to a user-defined type or domain is", "Use built-in and enum types.");
    case T_SQLValueFunction:
      refuse("CURRENT_DATE, CURRENT_USER and the like are",
             "Pass the value as $1: params => ARRAY[current_date::text].");
    default:
      refuse("this kind of expression in WHERE is", kComparisons);
  }
  return walk_expression(node, check_condition, arg);
}

// The column that is aggregated, under casts that lose nothing of interest.
const Var* plain_column(Node* node) {
  for (;;) {
    if (node != NULL && IsA(node, RelabelType)) {
      node = (Node*)((RelabelType*)node)->arg;
    } else if (node != NULL && IsA(node, FuncExpr) && is_widening_cast(((FuncExpr*)node)->funcid)) {
      node = (Node*)linitial(((FuncExpr*)node)->args);
    } else {
      return node != NULL && IsA(node, Var) ? (const Var*)node : NULL;
    }
  }
}

QueryItem aggregate_item(const Aggref* call, Oid relation) {
  const char* name = get_func_name(call->aggfnoid);
  QueryItem item = {ItemKind::count_rows, NULL, call->aggtype, InvalidAttrNumber};
  if (get_func_namespace(call->aggfnoid) != get_namespace_oid("dpmix", false) || name == NULL ||
      strncmp(name, "dp_", 3) != 0) {
    refuse(psprintf("the aggregate %s is", name != NULL ? name : "?"),
           "Use dp_count, dp_sum or dp_avg.");
  }
  if (call->aggdistinct != NIL) refuse("DISTINCT in an aggregate is", "Aggregate all rows.");
  if (call->aggorder != NIL) refuse("ORDER BY in an aggregate is", "Leave it out.");
  if (call->aggfilter != NULL) {
    refuse("FILTER is", "Put the condition into WHERE, or group by a declared column.");
  }
  if (call->agglevelsup != 0) refuse("an outer aggregate is", kOneTable);
  if (call->aggstar) return item;

  const Var* var = plain_column((Node*)linitial_node(TargetEntry, call->args)->expr);
  if (var == NULL) {
    refuse(psprintf("%s of an expression is", name),
           "Aggregate a plain column; the owner can declare bounds for a stored computed column.");
  }
  check_column(var, relation);
  item.column = var->varattno;
  item.kind = strcmp(name, "dp_count") == 0 ? ItemKind::count_values
              : strcmp(name, "dp_sum") == 0 ? ItemKind::sum
                                            : ItemKind::mean;
  return item;
}

constexpr double kDefaultLevel = 0.95;

double constant_level(const Node* level) {
  if (level == NULL) return kDefaultLevel;
  if (!IsA(level, Const)) {
    refuse("an interval whose level is not a constant is",
           "Write the level as a number between 0 and 1, or pass it as $1 with params.");
  }
  if (((const Const*)level)->constisnull) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("level must not be NULL"),
                    errdetail("The level of an interval lies between 0 and 1, both excluded."),
                    errhint("Leave it out for 0.95.")));
  }
  return DatumGetFloat8(((const Const*)level)->constvalue);
}

// dp_low or dp_high, of dpmix.
bool is_interval_end(const Node* node, ItemEnd* end) {
  if (!IsA(node, FuncExpr)) return false;
  const Oid function = ((const FuncExpr*)node)->funcid;
  const char* name = get_func_name(function);
  if (name == NULL || get_func_namespace(function) != get_namespace_oid("dpmix", false)) {
    return false;
  }
  *end = strcmp(name, "dp_low") == 0 ? ItemEnd::low : ItemEnd::high;
  return *end == ItemEnd::low || strcmp(name, "dp_high") == 0;
}

QueryItem interval_item(const FuncExpr* call, ItemEnd end, Oid relation) {
  const Node *aggregate = NULL, *level = NULL;
  int position = 0;
  ListCell* cell;
  foreach (cell, call->args) {
    const Node* argument = (const Node*)lfirst(cell);
    int parameter = position++;
    if (IsA(argument, NamedArgExpr)) {
      parameter = ((const NamedArgExpr*)argument)->argnumber;
      argument = (const Node*)((const NamedArgExpr*)argument)->arg;
    }
    (parameter == 0 ? aggregate : level) = argument;
  }
  if (!IsA(aggregate, Aggref)) {
    refuse("dp_low or dp_high of something other than a dp_* aggregate is",
           "Write dp_low(dp_count(*), 0.95): the aggregate itself, then the level.");
  }
  QueryItem item = aggregate_item((const Aggref*)aggregate, relation);
  item.type = FLOAT8OID;
  item.end = end;
  item.level = constant_level(level);
  return item;
}

bool is_key(const QueryShape* shape, const Node* node) {
  if (!IsA(node, Var)) return false;
  for (int i = 0; i < shape->keys; i++) {
    if (shape->key[i].column == ((const Var*)node)->varattno) return true;
  }
  return false;
}

void add_key(QueryShape* shape, const SortGroupClause* clause, const TargetEntry* entry) {
  if (!IsA(entry->expr, Var)) {
    refuse("GROUP BY an expression is", "Group by a plain column whose categories are declared.");
  }
  const Var* var = (const Var*)entry->expr;
  check_column(var, shape->relation);
  if (!is_key_type(var->vartype) ||
      (OidIsValid(var->varcollid) && !is_total_comparison(F_TEXTEQ, var->varcollid))) {
    refuse("GROUP BY a column of this type or collation is",
           "Group by a column of a number, text, boolean, date, time stamp, uuid or enum type.");
  }
  if (!is_key(shape, (const Node*)var)) shape->key[shape->keys++] = {var->varattno, clause};
}

}  // namespace

Oid table_of(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_RELATION) return entry->relid;
  }
  check_clauses(query);  // names the construct, if that is why
  refuse(
      query->rtable == NIL ? "a query without a table is" : "FROM something other than a table is",
      kOneTable);
}

QueryShape* validate(const Query* query) {
  check_clauses(query);
  QueryShape* shape = (QueryShape*)palloc0(sizeof(QueryShape));
  shape->relation = check_table(query)->relid;
  check_condition(query->jointree->quals, &shape->relation);

  shape->key = (QueryKey*)palloc0(sizeof(QueryKey) * (list_length(query->groupClause) + 1));
  ListCell* cell;
  foreach (cell, query->groupClause) {
    const SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    add_key(shape, clause, get_sortgroupclause_tle((SortGroupClause*)clause, query->targetList));
  }
  shape->item = (QueryItem*)palloc0(sizeof(QueryItem) * list_length(query->targetList));
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->resjunk) continue;  // a key that is not returned
    QueryItem* item = &shape->item[shape->items++];
    ItemEnd end;
    if (IsA(entry->expr, Aggref)) {
      *item = aggregate_item((const Aggref*)entry->expr, shape->relation);
    } else if (is_interval_end((const Node*)entry->expr, &end)) {
      *item = interval_item((const FuncExpr*)entry->expr, end, shape->relation);
    } else if (is_key(shape, (const Node*)entry->expr)) {
      *item = {ItemKind::key, NULL, ((const Var*)entry->expr)->vartype,
               ((const Var*)entry->expr)->varattno};
    } else {
      refuse("an item of the select list that is neither a group key nor a dp_* aggregate is",
             "Compute with released values in the outer query.");
    }
    item->name = entry->resname;
  }
  for (int i = 0; i < shape->items; i++) {
    if (shape->item[i].kind != ItemKind::key) return shape;
  }
  refuse("a query without a dp_* aggregate is",
         "Add dp_count(*), or read the declared categories.");
}

}  // namespace dpmix::pg
