#include "pg/safe_expression.hpp"

extern "C" {
#include "access/attnum.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

#include "pg/allow_list.hpp"
#include "pg/compat.hpp"
#include "pg/query_refusal.hpp"
#include "pg/query_sources.hpp"

namespace dpmix::pg {
namespace {

// A live column of a table, of a type that calls nobody's code.
void check_column(const Var* var, const RowScope* scope) {
  const Oid relation = source_of(scope, var)->relation;
  if (var->varattno == InvalidAttrNumber) {
    refuse_construct("a whole-row reference is", "Name the columns that you need.");
  }
  if (var->varattno < 0) {
    refuse_construct("a system column is", "Use the columns that the table declares.");
  }
  if (!is_own_type(var->vartype)) {
    refuse_construct("a column of a user-defined type or domain is",
                     "Use columns of built-in or enum types; the owner can add one of those.");
  }
  HeapTuple tuple =
      SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(var->varattno));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for column %d", var->varattno);
  const char generated = ((Form_pg_attribute)GETSTRUCT(tuple))->attgenerated;
  ReleaseSysCache(tuple);
  if (generated != '\0' && generated != ATTRIBUTE_GENERATED_STORED) {
    refuse_construct("a virtual generated column is",
                     "Its expression could fail on a row: use stored columns.");
  }
}

constexpr const char* kComparisons =
    "Compare plain columns with constants by =, <>, <, <=, > and >=, IN, BETWEEN, IS NULL and "
    "boolean operators. What could fail on a row, such as arithmetic or a narrowing cast, goes to "
    "the constant's side.";

[[noreturn]] void refuse_call(const char* kind, Oid id, const char* name) {
  refuse_construct(
      psprintf("the %s%s %s in WHERE is", id >= FirstUnpinnedObjectId ? "user-defined " : "", kind,
               name != NULL ? name : "?"),
      kComparisons);
}

void check_operator(Oid op, Oid function, Oid collation) {
  if (op < FirstUnpinnedObjectId && is_total_comparison(function, collation)) return;
  if (op < FirstUnpinnedObjectId && is_total_comparison(function, C_COLLATION_OID)) {
    refuse_construct("comparing text under a user-defined collation is",
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
  const RowScope* scope = (const RowScope*)arg;
  switch (nodeTag(node)) {
    case T_Var:
      check_column((Var*)node, scope);
      return false;
    case T_Const:
      if (!is_operand_type(((Const*)node)->consttype)) {
        refuse_construct("a constant of a user-defined type or domain is",
                         "Use built-in and enum types.");
      }
      return false;
    case T_List:
    case T_BoolExpr:
    case T_BooleanTest:
      break;
    case T_NullTest:
      if (((NullTest*)node)->argisrow) {
        refuse_construct("a test of a row value is", "Test single columns.");
      }
      break;
    case T_RelabelType:
      if (!is_operand_type(((RelabelType*)node)->resulttype)) {
        refuse_construct("a cast to a user-defined type or domain is",
                         "Use built-in and enum types.");
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
        refuse_construct("an array that is not constant is",
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
      refuse_construct("an internal parameter is", "Pass values as $1, $2, ... with params.");
    case T_CoerceToDomain:
      refuse_construct("a cast to a user-defined type or domain is",
                       "Use built-in and enum types.");
    case T_SQLValueFunction:
      refuse_construct("CURRENT_DATE, CURRENT_USER and the like are",
                       "Pass the value as $1: params => ARRAY[current_date::text].");
    default:
      refuse_construct("this kind of expression in WHERE is", kComparisons);
  }
  return walk_expression(node, check_condition, arg);
}

// The column under casts that lose nothing of interest.
const Var* plain_column(const Node* node) {
  for (;;) {
    if (node != NULL && IsA(node, RelabelType)) {
      node = (const Node*)((const RelabelType*)node)->arg;
    } else if (node != NULL && IsA(node, FuncExpr) &&
               is_widening_cast(((const FuncExpr*)node)->funcid)) {
      node = (const Node*)linitial(((const FuncExpr*)node)->args);
    } else {
      return node != NULL && IsA(node, Var) ? (const Var*)node : NULL;
    }
  }
}

const Var* checked_column(const RowScope* scope, const Node* value, const char* use) {
  const Var* var = plain_column(value);
  if (var == NULL) {
    refuse_construct(
        psprintf("%s an expression is", use),
        "Aggregate a plain column; the owner can declare bounds for a stored computed column.");
  }
  check_column(var, scope);
  return var;
}

bool is_integral(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

Expr* call(Oid function, Oid result, Expr* argument) {
  return (Expr*)makeFuncExpr(function, result, list_make1(argument), InvalidOid, InvalidOid,
                             COERCE_EXPLICIT_CALL);
}

// Every number as float8, by a function that cannot fail on a row.
Expr* as_float8(Var* var) {
  switch (var->vartype) {
    case INT2OID:
      return call(F_FLOAT8_INT2, FLOAT8OID, (Expr*)var);
    case INT4OID:
      return call(F_FLOAT8_INT4, FLOAT8OID, (Expr*)var);
    case INT8OID:
      return call(F_FLOAT8_INT8, FLOAT8OID, (Expr*)var);
    case FLOAT4OID:
      return call(F_FLOAT8_FLOAT4, FLOAT8OID, (Expr*)var);
    case NUMERICOID: {
      const Oid numeric = NUMERICOID;
      return call(
          LookupFuncName(list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup("to_float8"))),
                         1, &numeric, false),
          FLOAT8OID, (Expr*)var);
    }
    default:
      return (Expr*)var;
  }
}

}  // namespace

Node* safe_condition(const RowScope* scope, Node* condition) {
  check_condition(condition, (void*)scope);
  return condition;
}

bool has_nan(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

namespace {

const Var* checked_number(const RowScope* scope, const Node* number, const char* aggregate) {
  const Var* var = checked_column(scope, number, psprintf("%s of", aggregate));
  if (is_integral(var->vartype) || has_nan(var->vartype)) return var;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("column %s is not a number", column_text(scope, var)),
                  errdetail("Its type is %s.", format_type_be(var->vartype)),
                  errhint("Sums and averages take smallint, integer, bigint, real, double "
                          "precision and numeric columns.")));
}

}  // namespace

SafeNumber safe_number(const RowScope* scope, Node* number, const char* aggregate) {
  const Var* var = checked_number(scope, number, aggregate);
  const ColumnDomain domain = bounds_of(scope, var);
  return {as_float8((Var*)copyObjectImpl(var)), is_integral(var->vartype), domain.lower,
          domain.upper};
}

Expr* safe_float8(const RowScope* scope, Node* number, const char* aggregate) {
  return as_float8((Var*)copyObjectImpl(checked_number(scope, number, aggregate)));
}

Expr* safe_value(const RowScope* scope, Node* value, const char* use) {
  return (Expr*)copyObjectImpl(checked_column(scope, value, use));
}

const char* expression_text(const RowScope* scope, const Node* expression) {
  const Var* var = plain_column(expression);
  return var != NULL ? column_text(scope, var) : "expression";
}

}  // namespace dpmix::pg
