#include "pg/query/safe/expression.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/choices.hpp"
#include "pg/query/safe/columns.hpp"
#include "pg/query/safe/comparisons.hpp"
#include "pg/query/safe/dates.hpp"
#include "pg/query/safe/fields.hpp"
#include "pg/query/safe/intervals.hpp"
#include "pg/query/safe/key_answers.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/safe/patterns.hpp"
#include "pg/query/safe/text_lengths.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/query/safe/times.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

constexpr SafeFunctions kFunctions[] = {
    safe_number_function,   safe_text_function,  safe_date_function,   safe_time_function,
    safe_interval_function, safe_field_function, safe_pattern_function};

// Calls -------------------------------------------------------------------------------------------

SafePart call_part(SafeCompiler* compiler, Node* node, Oid function, Oid collation,
                   const char* name, List* arguments) {
  const int count = list_length(arguments);
  SafeCall call = {compiler, node, function, collation, name, count, NULL, NULL};
  call.argument = (Node**)palloc0(sizeof(Node*) * (count + 1));
  call.part = (SafePart*)palloc0(sizeof(SafePart) * (count + 1));
  for (int i = 0; i < count; i++) {
    call.argument[i] = (Node*)list_nth(arguments, i);
    call.part[i] = safe_part(compiler, call.argument[i]);
  }
  SafePart made = {};
  for (SafeFunctions functions : kFunctions) {
    if (functions(&call, &made)) return made;
  }
  if (IsA(node, OpExpr)) refuse_operator(((OpExpr*)node)->opno);
  refuse_function(function);
}

SafePart function_part(SafeCompiler* compiler, FuncExpr* call) {
  if (is_answer_of_key(call)) return answer_of_key(compiler, call);
  const bool own = call->funcid < FirstUnpinnedObjectId && !call->funcretset && !call->funcvariadic;
  if (!own) refuse_function(call->funcid);
  return call_part(compiler, (Node*)call, call->funcid, call->inputcollid,
                   get_func_name(call->funcid), call->args);
}

// The operator as people write it.
const char* operator_text(Oid op) {
  const char* name = get_opname(op);
  return strcmp(name, "~~") == 0     ? "LIKE"
         : strcmp(name, "!~~") == 0  ? "NOT LIKE"
         : strcmp(name, "~~*") == 0  ? "ILIKE"
         : strcmp(name, "!~~*") == 0 ? "NOT ILIKE"
                                     : name;
}

SafePart operator_part(SafeCompiler* compiler, OpExpr* node) {
  set_opfuncid(node);
  if (node->opno >= FirstUnpinnedObjectId || node->opretset) refuse_operator(node->opno);
  node = in_local_time(node);
  if (is_total_comparison(node->opfuncid, C_COLLATION_OID)) return safe_comparison(compiler, node);
  if (looks_at_zone(node)) return zoned_comparison(compiler, node);
  return call_part(compiler, (Node*)node, node->opfuncid, node->inputcollid,
                   operator_text(node->opno), node->args);
}

// Conditions and labels ---------------------------------------------------------------------------

SafePart boolean_part(SafeCompiler* compiler, const BoolExpr* node) {
  BoolExpr* made = (BoolExpr*)copyObjectImpl(node);
  made->args = values_of(parts_of(compiler, node->args), list_length(node->args));
  return plain_part((Expr*)made);
}

SafePart relabelled_part(SafeCompiler* compiler, Expr* argument, Oid type, int32 typmod,
                         Oid collation) {
  if (!is_operand_type(type)) {
    refuse_construct("a cast to a user-defined type or domain is", "Use built-in and enum types.");
  }
  SafePart part = safe_part(compiler, (Node*)argument);
  if (part.recompiled || is_number(exprType((Node*)argument))) {
    refuse_construct("a cast of a number to a type that is none is",
                     "Compare numbers with numbers.");
  }
  part.value = (Expr*)makeRelabelType(part.value, type, typmod, collation, COERCE_IMPLICIT_CAST);
  return part;
}

SafePart null_test_part(SafeCompiler* compiler, const NullTest* node) {
  if (node->argisrow) refuse_construct("a test of a row value is", "Test single columns.");
  NullTest* made = (NullTest*)copyObjectImpl(node);
  made->arg = safe_part(compiler, (Node*)node->arg).value;
  return plain_part((Expr*)made);
}

SafePart boolean_test_part(SafeCompiler* compiler, const BooleanTest* node) {
  BooleanTest* made = (BooleanTest*)copyObjectImpl(node);
  made->arg = safe_part(compiler, (Node*)node->arg).value;
  return plain_part((Expr*)made);
}

[[noreturn]] void refuse_node(const Node* node) {
  switch (nodeTag(node)) {
    case T_Param:
      refuse_construct("an internal parameter is", "Pass values as $1, $2, ... with params.");
    case T_CoerceToDomain:
      refuse_construct("a cast to a user-defined type or domain is",
                       "Use built-in and enum types.");
    case T_SQLValueFunction:
      refuse_construct("CURRENT_USER and the like are",
                       "Pass the value as $1: params => ARRAY[current_user::text].");
    case T_CoerceViaIO:
    case T_ArrayCoerceExpr:
      refuse_construct("a cast from or to text is",
                       "Compare values in their own type; cast the constant instead.");
    case T_RowExpr:
    case T_RowCompareExpr:
      refuse_construct("a row value is", "Compare single columns.");
    case T_FieldSelect:
      refuse_construct("a field of a composite value is", "Let the owner store it in a column.");
    case T_SubscriptingRef:
      refuse_construct("an element of an array is", "Let the owner store it in a column.");
    case T_ArrayExpr:
      refuse_construct("an array that is not constant is",
                       "Write the values as constants, or pass them as $1.");
    case T_Aggref:
      refuse_construct("an aggregate in an expression over rows is",
                       "Aggregates stand in the select list, HAVING and ORDER BY.");
    default:
      refuse_construct(expression_name(node), kExpressionList);
  }
}

// A function by itself: what it holds would be in every frame of conditions that are nested deep.
[[gnu::noinline]] SafePart other_part(SafeCompiler* compiler, Node* node) {
  SafePart part;
  const RowScope* scope = compiler->scope;
  if (IsA(node, CoerceViaIO) && label_part(compiler, (CoerceViaIO*)node, &part)) return part;
  if (scope->more != NULL && scope->more(compiler, node, &part)) return part;
  refuse_node(node);
}

SafePart part_of_node(SafeCompiler* compiler, Node* node) {
  switch (nodeTag(node)) {
    case T_Var:
      return column_part(compiler, (Var*)node);
    case T_Const:
      return constant_part((Const*)node);
    case T_BoolExpr:
      return boolean_part(compiler, (BoolExpr*)node);
    case T_BooleanTest:
      return boolean_test_part(compiler, (BooleanTest*)node);
    case T_NullTest:
      return null_test_part(compiler, (NullTest*)node);
    case T_RelabelType: {
      const RelabelType* label = (RelabelType*)node;
      return relabelled_part(compiler, label->arg, label->resulttype, label->resulttypmod,
                             label->resultcollid);
    }
    case T_CollateExpr: {
      const CollateExpr* collate = (CollateExpr*)node;
      const Node* argument = (Node*)collate->arg;
      return relabelled_part(compiler, collate->arg, exprType(argument), exprTypmod(argument),
                             collate->collOid);
    }
    case T_OpExpr:
      return operator_part(compiler, (OpExpr*)node);
    case T_DistinctExpr:
      return safe_comparison(compiler, (OpExpr*)node);
    case T_NullIfExpr:
      return nullif_part(compiler, (OpExpr*)node);
    case T_ScalarArrayOpExpr:
      return safe_array_comparison(compiler, (ScalarArrayOpExpr*)node);
    case T_FuncExpr:
      return function_part(compiler, (FuncExpr*)node);
    case T_CaseExpr:
      return case_part(compiler, (CaseExpr*)node);
    case T_CaseTestExpr:
      return tested_part(compiler, (CaseTestExpr*)node);
    case T_CoalesceExpr:
      return coalesce_part(compiler, (CoalesceExpr*)node);
    case T_MinMaxExpr:
      return extreme_part(compiler, (MinMaxExpr*)node);
    default:
      return other_part(compiler, node);
  }
}

SafePart compile_part(SafeCompiler* compiler, Node* node) {
  check_stack_depth();
  // Conditions look at values as they are; only what is summed is clamped.
  const ColumnsAs columns = compiler->columns;
  if (exprType(node) == BOOLOID) compiler->columns = ColumnsAs::stored;
  const SafePart part = part_of_node(compiler, node);
  compiler->columns = columns;
  return part;
}

SafeCompiler compiler_of(const RowScope* scope, ColumnsAs columns) {
  return {scope, columns, NULL, NULL, NULL, compile_part};
}

// Entry points ------------------------------------------------------------------------------------

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

// An interval that is one point holds the values of no lattice: 0 is taken in, or 1.
ValueInterval widened(ValueInterval range) {
  if (range.lower < range.upper) return range;
  if (range.lower > 0) {
    range.lower = 0;
  } else if (range.lower < 0) {
    range.upper = 0;
  } else {
    range.upper = 1;
  }
  return range;
}

constexpr const char* kNumbers =
    "Sums and averages take smallint, integer, bigint, real, double precision and numeric. For the "
    "share or the number of rows that meet a condition write dp_avg((region = 'west')::int) or "
    "dp_sum((region = 'west')::int); of intervals, seconds: dp_avg(extract(epoch FROM done - "
    "seen)); a difference of two dates is a number of days.";

SafeNumber number_of_column(const RowScope* scope, const Var* var) {
  check_column(scope, var);
  if (!is_number(var->vartype)) {
    refuse(ErrorCode::query_not_allowed,
           psprintf("column %s is not a number", column_text(scope, var)),
           psprintf("Its type is %s.", format_type_be(var->vartype)), kNumbers);
  }
  const ColumnDomain domain = bounds_of(scope, var);
  Expr* number = column_number(domain, var);
  Expr* counted = with_nan(number) != NULL ? number : (Expr*)copyObjectImpl(var);
  const ValueInterval range = widened(range_of(scope, var, domain));
  return {number, range.integral, range.lower, range.upper, counted};
}

void require_number(const Node* number, const char* aggregate) {
  const Oid type = exprType(number);
  if (is_number(type)) return;
  refuse(ErrorCode::query_not_allowed, psprintf("the argument of %s is not a number", aggregate),
         psprintf("Its type is %s.", format_type_be(type)), kNumbers);
}

// The text without the line breaks that PostgreSQL puts around CASE.
const char* one_line(const char* begin, const char* end) {
  StringInfoData line;
  initStringInfo(&line);
  for (const char* at = begin; at < end; at++) {
    if (*at == '\n') {
      while (at + 1 < end && at[1] == ' ') at++;
    }
    const bool space = *at == ' ' || *at == '\n';
    const char last = line.len > 0 ? line.data[line.len - 1] : '(';
    if (!space) {
      appendStringInfoChar(&line, *at);
    } else if (last != '(') {
      appendStringInfoChar(&line, ' ');
    }
  }
  return line.data;
}

SafeNumber number_of_part(const SafePart& part) {
  const ValueInterval range = widened(part.range);
  Expr* value = number_of(&part);
  return {value, range.integral, range.lower, range.upper, value};
}

}  // namespace

Node* safe_condition(const RowScope* scope, Node* condition) {
  if (condition == NULL) return NULL;
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::stored);
  return (Node*)safe_part(&compiler, condition).value;
}

SafeNumber safe_number(const RowScope* scope, Node* number, const char* aggregate) {
  const Var* var = plain_column(number);
  if (var != NULL && !is_unlimited(scope, var)) return number_of_column(scope, var);
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::summed);
  const SafePart part = safe_part(&compiler, number);
  require_number(number, aggregate);
  if (!part.range.finite()) {
    refuse(ErrorCode::domain_missing,
           psprintf("the bounds of the argument of %s cannot be told", aggregate),
           compiler.unbounded != NULL ? compiler.unbounded : "Nothing limits the expression.",
           compiler.instead != NULL ? compiler.instead
                                    : "Put it between bounds: least(greatest(x, lower), upper).");
  }
  return number_of_part(part);
}

bool bounds_of(const RowScope* scope, Node* value, ValueInterval* bounds) {
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::summed);
  *bounds = safe_part(&compiler, value).range;
  return bounds->finite();
}

bool bounded_number(const RowScope* scope, Node* number, SafeNumber* made) {
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::summed);
  const SafePart part = safe_part(&compiler, number);
  if (!part.range.finite()) return false;
  *made = number_of_part(part);
  made->lower = part.range.lower;
  made->upper = part.range.upper;
  return true;
}

Expr* safe_value(const RowScope* scope, Node* value) {
  const Var* var = plain_column(value);
  if (var != NULL) {
    check_column(scope, var);
    return (Expr*)copyObjectImpl(var);
  }
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::stored);
  return safe_part(&compiler, value).value;
}

Expr* safe_counted(const RowScope* scope, Node* value) {
  const Var* var = plain_column(value);
  if (var != NULL) {
    check_column(scope, var);
    return counted_column(scope, var);
  }
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::counted);
  return safe_part(&compiler, value).value;
}

Expr* safe_key(const RowScope* scope, Node* key, double* bytes) {
  *bytes = 0;
  const Var* column = plain_column(key);
  if (IsA(key, Var)) return safe_value(scope, key);
  if (column != NULL) {
    check_column(scope, column);
    // Casts that take every number.
    if (is_number(exprType(key))) return (Expr*)copyObjectImpl(key);
  }
  SafeCompiler compiler = compiler_of(scope, ColumnsAs::stored);
  const SafePart part = safe_part(&compiler, key);
  if (is_text(exprType((const Node*)part.value))) *bytes = part.bytes;
  return part.value;
}

// The text that PostgreSQL writes in the select list of a query over the same tables, in one line.
const char* expression_text(const RowScope* scope, const Node* expression) {
  const Var* var = plain_column(expression);
  if (var != NULL) return column_text(scope, var);
  constexpr const char* name = "dpmix_expression";
  Query* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->rtable = (List*)copyObjectImpl(scope->query->rtable);
  query->jointree = makeFromExpr((List*)copyObjectImpl(scope->query->jointree->fromlist), NULL);
  Node* shown = strip_implicit_coercions((Node*)copyObjectImpl(expression));
  query->targetList = list_make1(makeTargetEntry((Expr*)shown, 1, pstrdup(name), false));
  const char* text = pg_get_querydef(query, false);
  const char* end = strstr(text, psprintf(" AS %s", name));
  const char* begin = strstr(text, "SELECT");
  if (begin == NULL || end == NULL) return "expression";
  return one_line(begin + strlen("SELECT"), end);
}

}  // namespace dpmix::pg
