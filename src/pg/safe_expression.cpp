#include "pg/safe_expression.hpp"

#include <limits>

#include "pg/guard.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
}

#include "pg/allow_list.hpp"
#include "pg/compat.hpp"
#include "pg/query_refusal.hpp"
#include "pg/query_sources.hpp"
#include "pg/safe_expression_parts.hpp"

namespace dpmix::pg {
namespace {

constexpr SafeFunctions kFunctions[] = {safe_number_function, safe_text_function,
                                        safe_date_function};

bool is_operand_type(Oid type) {
  const Oid element = get_element_type(type);
  return is_own_type(OidIsValid(element) ? element : type);
}

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

// Leaves ------------------------------------------------------------------------------------------

constexpr double kUnknown = std::numeric_limits<double>::infinity();

double characters_of(const Var* var) {
  const bool limited = (var->vartype == VARCHAROID || var->vartype == BPCHAROID) &&
                       var->vartypmod >= (int32)VARHDRSZ;
  return limited ? var->vartypmod - (int32)VARHDRSZ : kUnknown;
}

ColumnDomain declared_domain(const RowScope* scope, const Var* var) {
  const ProtectedTable* table = source_of(scope, var)->table;
  if (table == NULL) return {};  // public
  return column_domain(table, var->varattno);
}

void explain_unbounded(SafeCompiler* compiler, const Var* var) {
  if (compiler->unbounded != NULL) return;
  const char* name = column_text(compiler->scope, var);
  compiler->unbounded = psprintf("Column %s has no declared bounds.", name);
  compiler->instead = psprintf(
      "The owner declares them with dpmix.set_bounds; or state them in the query: "
      "least(greatest(%s, lower), upper).",
      name);
}

SafePart column_part(SafeCompiler* compiler, Var* var) {
  check_column(var, compiler->scope);
  SafePart part = plain_part((Expr*)copyObjectImpl(var));
  part.characters = characters_of(var);
  part.bytes = part.characters * MAX_MULTIBYTE_CHAR_LEN;
  const bool number = is_number(var->vartype);
  part.range.integral = is_integer(var->vartype) || var->vartype == DATEOID;
  if (!compiler->bounded || (!number && var->vartype != DATEOID)) return part;
  const ColumnDomain domain = declared_domain(compiler->scope, var);
  if (!domain.has_bounds) {
    explain_unbounded(compiler, var);
    return part;
  }
  part.range = part.range.integral ? whole(domain.lower, domain.upper)
                                   : ValueInterval{domain.lower, domain.upper};
  if (!number) return part;  // dates are clamped where they become numbers
  return number_part(call_own("total_clamp", FLOAT8OID,
                              list_make3(number_of(&part), float8_constant(part.range.lower),
                                         float8_constant(part.range.upper))),
                     part.range);
}

SafePart constant_part(const Const* constant) {
  if (!is_operand_type(constant->consttype)) {
    refuse_construct("a constant of a user-defined type or domain is",
                     "Use built-in and enum types.");
  }
  SafePart part = plain_part((Expr*)copyObjectImpl(constant));
  part.short_text = true;
  if (constant->constisnull) {
    part.characters = part.bytes = 0;
    part.range = point(0);  // what is computed from it is NULL
  } else if (is_number(constant->consttype) || constant->consttype == DATEOID) {
    const double value = constant_float8(constant);
    part.present = !isnan(value);
    if (part.present) part.range = point(value);
  } else if (OidIsValid(constant->constcollid)) {
    part.characters = part.bytes = VARSIZE_ANY_EXHDR(DatumGetPointer(constant->constvalue));
  }
  return part;
}

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
  const bool own = call->funcid < FirstUnpinnedObjectId && !call->funcretset && !call->funcvariadic;
  if (!own) refuse_function(call->funcid);
  return call_part(compiler, (Node*)call, call->funcid, call->inputcollid,
                   get_func_name(call->funcid), call->args);
}

SafePart operator_part(SafeCompiler* compiler, OpExpr* node) {
  set_opfuncid(node);
  if (node->opno >= FirstUnpinnedObjectId || node->opretset) refuse_operator(node->opno);
  if (is_total_comparison(node->opfuncid, C_COLLATION_OID)) return safe_comparison(compiler, node);
  return call_part(compiler, (Node*)node, node->opfuncid, node->inputcollid, get_opname(node->opno),
                   node->args);
}

// Choices -----------------------------------------------------------------------------------------

bool is_null(const SafePart* part) {
  return IsA(part->value, Const) && ((const Const*)part->value)->constisnull;
}

// What holds any of some parts of one type in the query: their values are made of one type again.
SafePart any_of(SafePart* part, int count) {
  SafePart all = plain_part(NULL);
  all.short_text = all.present = true;
  all.characters = all.bytes = 0;
  all.range = point(0);
  bool first = true;
  for (int i = 0; i < count; i++) {
    all.recompiled = all.recompiled || part[i].recompiled;
    all.short_text = all.short_text && part[i].short_text;
    all.present = all.present && part[i].present;
    all.characters = Max(all.characters, part[i].characters);
    all.bytes = Max(all.bytes, part[i].bytes);
    if (is_null(&part[i])) continue;
    all.range = first ? part[i].range : hull(all.range, part[i].range);
    first = false;
  }
  for (int i = 0; all.recompiled && i < count; i++) part[i].value = number_of(&part[i]);
  return all;
}

SafePart unclamped(SafeCompiler* compiler, Node* node) {
  const bool bounded = compiler->bounded;
  compiler->bounded = false;
  const SafePart part = safe_part(compiler, node);
  compiler->bounded = bounded;
  return part;
}

SafePart case_part(SafeCompiler* compiler, const CaseExpr* node) {
  CaseExpr* made = (CaseExpr*)copyObjectImpl(node);
  const SafePart* outer = compiler->tested;
  SafePart tested;
  if (node->arg != NULL) {
    tested = unclamped(compiler, (Node*)node->arg);
    made->arg = tested.value;
  }
  const int count = list_length(node->args) + 1;
  SafePart* result = (SafePart*)palloc0(sizeof(SafePart) * count);
  for (int i = 0; i < count - 1; i++) {
    CaseWhen* when = list_nth_node(CaseWhen, made->args, i);
    compiler->tested = node->arg != NULL ? &tested : NULL;
    when->expr = unclamped(compiler, (Node*)when->expr).value;
    compiler->tested = outer;
    result[i] = safe_part(compiler, (Node*)when->result);
  }
  Node* otherwise = (Node*)node->defresult;
  if (otherwise == NULL) otherwise = (Node*)makeNullConst(node->casetype, -1, node->casecollid);
  result[count - 1] = safe_part(compiler, otherwise);
  SafePart part = any_of(result, count);
  for (int i = 0; i < count - 1; i++) {
    list_nth_node(CaseWhen, made->args, i)->result = result[i].value;
  }
  made->defresult = result[count - 1].value;
  if (part.recompiled) made->casetype = FLOAT8OID;
  part.value = (Expr*)made;
  return part;
}

// What CASE compares: of the type that it was compiled to.
SafePart tested_part(const SafeCompiler* compiler, const CaseTestExpr* node) {
  if (compiler->tested == NULL) elog(ERROR, "nothing is tested here");
  CaseTestExpr* made = (CaseTestExpr*)copyObjectImpl(node);
  SafePart part = *compiler->tested;
  made->typeId = exprType((Node*)part.value);
  made->typeMod = exprTypmod((Node*)part.value);
  part.value = (Expr*)made;
  part.short_text = part.present = false;
  return part;
}

// CASE WHEN a = b THEN NULL ELSE a END: compared as it is, so that what a code stands for can be
// left out although it is beyond the bounds.
SafePart nullif_part(SafeCompiler* compiler, const OpExpr* node) {
  OpExpr* same = (OpExpr*)copyObjectImpl(node);
  ((Node*)same)->type = T_OpExpr;
  same->opresulttype = BOOLOID;
  SafePart result = safe_part(compiler, (Node*)linitial(node->args));
  CaseExpr* made = makeNode(CaseExpr);
  CaseWhen* when = makeNode(CaseWhen);
  when->expr = unclamped(compiler, (Node*)same).value;
  made->casetype = exprType((Node*)result.value);
  made->casecollid = exprCollation((Node*)result.value);
  when->result = (Expr*)makeNullConst(made->casetype, -1, made->casecollid);
  when->location = made->location = -1;
  made->args = list_make1(when);
  made->defresult = result.value;
  result.value = (Expr*)made;
  result.present = false;
  return result;
}

SafePart* parts_of(SafeCompiler* compiler, List* arguments) {
  SafePart* part = (SafePart*)palloc0(sizeof(SafePart) * list_length(arguments));
  for (int i = 0; i < list_length(arguments); i++) {
    part[i] = safe_part(compiler, (Node*)list_nth(arguments, i));
  }
  return part;
}

List* values_of(const SafePart* part, int count) {
  List* values = NIL;
  for (int i = 0; i < count; i++) values = lappend(values, part[i].value);
  return values;
}

SafePart coalesce_part(SafeCompiler* compiler, const CoalesceExpr* node) {
  CoalesceExpr* made = (CoalesceExpr*)copyObjectImpl(node);
  const int count = list_length(node->args);
  SafePart* part = parts_of(compiler, node->args);
  SafePart all = any_of(part, count);
  made->args = values_of(part, count);
  if (all.recompiled) made->coalescetype = FLOAT8OID;
  all.value = (Expr*)made;
  return all;
}

SafePart extreme_part(SafeCompiler* compiler, const MinMaxExpr* node) {
  const bool greatest = node->op == IS_GREATEST;
  if (!has_total_order(node->minmaxtype, node->inputcollid)) {
    refuse_construct(
        psprintf("%s of this type or collation is", greatest ? "GREATEST" : "LEAST"),
        "Use numbers, dates, time stamps, booleans, uuids, enums, or texts with COLLATE \"C\".");
  }
  MinMaxExpr* made = (MinMaxExpr*)copyObjectImpl(node);
  const int count = list_length(node->args);
  SafePart* part = parts_of(compiler, node->args);
  ExtremeArgument* argument = (ExtremeArgument*)palloc0(sizeof(ExtremeArgument) * count);
  int arguments = 0;
  bool present = false;
  for (int i = 0; i < count; i++) {
    if (!is_null(&part[i])) argument[arguments++] = {part[i].range, part[i].present};
    present = present || part[i].present;
  }
  SafePart all = any_of(part, count);
  if (arguments > 0) {
    const std::span<const ExtremeArgument> list{argument, (size_t)arguments};
    all.range = greatest ? greatest_of(list) : least_of(list);
  }
  all.present = !greatest && present;  // a NaN is the greatest
  made->args = values_of(part, count);
  if (all.recompiled) {
    made->minmaxtype = FLOAT8OID;
    made->minmaxcollid = made->inputcollid = InvalidOid;
  }
  all.value = (Expr*)made;
  return all;
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

constexpr const char* kList =
    "Write it with what docs/expressions.md lists: comparisons, + - * / % ^, abs, floor, ceil, "
    "round, "
    "trunc, sqrt, ln, log, exp, power, sign, greatest, least, lower, upper, length, left, right, "
    "substring, trim, ||, strpos, starts_with, LIKE, ILIKE, CASE, COALESCE, NULLIF, days of dates; "
    "or let the owner store it in a column.";

[[noreturn]] void refuse_node(const Node* node) {
  switch (nodeTag(node)) {
    case T_Param:
      refuse_construct("an internal parameter is", "Pass values as $1, $2, ... with params.");
    case T_CoerceToDomain:
      refuse_construct("a cast to a user-defined type or domain is",
                       "Use built-in and enum types.");
    case T_SQLValueFunction:
      refuse_construct("CURRENT_DATE, CURRENT_USER and the like are",
                       "Pass the value as $1: params => ARRAY[current_date::text].");
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
    default:
      refuse_construct("this kind of expression is", kList);
  }
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
      refuse_node(node);
  }
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

SafeNumber column_number(const RowScope* scope, const Var* var) {
  check_column(var, scope);
  if (!is_number(var->vartype)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                    errmsg("column %s is not a number", column_text(scope, var)),
                    errdetail("Its type is %s.", format_type_be(var->vartype)),
                    errhint("Sums and averages take smallint, integer, bigint, real, double "
                            "precision and numeric columns.")));
  }
  const ColumnDomain domain = bounds_of(scope, var);
  Expr* column = (Expr*)copyObjectImpl(var);
  return {as_float8(column), is_integer(var->vartype), domain.lower, domain.upper, column};
}

void require_number(const Node* number, const char* aggregate) {
  const Oid type = exprType(number);
  if (is_number(type)) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("the argument of %s is not a number", aggregate),
                  errdetail("Its type is %s.", format_type_be(type)),
                  errhint("Cast a condition to integer, as in %s((age > 30)::int); a difference of "
                          "two dates is a number of days.",
                          aggregate)));
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

}  // namespace

SafePart safe_part(SafeCompiler* compiler, Node* node) {
  check_stack_depth();
  // Conditions look at values as they are; only what is summed is clamped.
  const bool bounded = compiler->bounded;
  if (exprType(node) == BOOLOID) compiler->bounded = false;
  const SafePart part = part_of_node(compiler, node);
  compiler->bounded = bounded;
  return part;
}

Node* safe_condition(const RowScope* scope, Node* condition) {
  if (condition == NULL) return NULL;
  SafeCompiler compiler = {scope, false, NULL, NULL, NULL};
  return (Node*)safe_part(&compiler, condition).value;
}

bool has_nan(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

SafeNumber safe_number(const RowScope* scope, Node* number, const char* aggregate) {
  const Var* var = plain_column(number);
  if (var != NULL) return column_number(scope, var);
  SafeCompiler compiler = {scope, true, NULL, NULL, NULL};
  const SafePart part = safe_part(&compiler, number);
  require_number(number, aggregate);
  if (!part.range.finite()) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(domain_missing)),
             errmsg("the bounds of the argument of %s cannot be told", aggregate),
             errdetail("%s", compiler.unbounded != NULL ? compiler.unbounded
                                                        : "Nothing limits the expression."),
             errhint("%s", compiler.instead != NULL
                               ? compiler.instead
                               : "Put it between bounds: least(greatest(x, lower), upper).")));
  }
  const ValueInterval range = widened(part.range);
  Expr* value = number_of(&part);
  return {value, range.integral, range.lower, range.upper, value};
}

Expr* safe_value(const RowScope* scope, Node* value) {
  const Var* var = plain_column(value);
  if (var != NULL) {
    check_column(var, scope);
    return (Expr*)copyObjectImpl(var);
  }
  SafeCompiler compiler = {scope, false, NULL, NULL, NULL};
  return safe_part(&compiler, value).value;
}

const char* expression_text(const RowScope* scope, const Node* expression) {
  const Var* var = plain_column(expression);
  if (var != NULL) return column_text(scope, var);
  if (scope->sources->count != 1 || scope->sources->source[0].varno != 1) return "expression";
  const Oid relation = scope->sources->source[0].relation;
  return deparse_expression((Node*)expression,
                            deparse_context_for(get_rel_name(relation), relation), false, false);
}

// What the files of functions share ---------------------------------------------------------------

SafePart plain_part(Expr* value) {
  SafePart part = {};
  part.value = value;
  part.characters = part.bytes = kUnknown;
  return part;
}

Expr* call_builtin(Oid function, Oid result, List* arguments) {
  return (Expr*)makeFuncExpr(function, result, arguments, InvalidOid, InvalidOid,
                             COERCE_EXPLICIT_CALL);
}

Expr* call_own(const char* name, Oid result, List* arguments) {
  Oid types[FUNC_MAX_ARGS];
  for (int i = 0; i < list_length(arguments); i++) {
    types[i] = exprType((Node*)list_nth(arguments, i));
  }
  List* function = list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup(name)));
  return call_builtin(LookupFuncName(function, list_length(arguments), types, false), result,
                      arguments);
}

SafePart same_call(const SafeCall* call) {
  Node* made = (Node*)copyObjectImpl(call->node);
  for (int i = 0; i < call->count; i++) {
    if (call->part[i].recompiled) refuse_function(call->function);  // its type has changed
  }
  List* values = values_of(call->part, call->count);
  if (IsA(made, OpExpr)) {
    ((OpExpr*)made)->args = values;
  } else {
    castNode(FuncExpr, made)->args = values;
  }
  return plain_part((Expr*)made);
}

bool is_constant(const Node* node) {
  return IsA(node, Const) && !((const Const*)node)->constisnull;
}

Datum constant_value(const Node* node) {
  return ((const Const*)node)->constvalue;
}

void refuse_operator(Oid op) {
  const char* name = get_opname(op);
  refuse_construct(
      psprintf("the %soperator %s is", op >= FirstUnpinnedObjectId ? "user-defined " : "",
               name != NULL ? name : "?"),
      name != NULL && strchr(name, '~') != NULL
          ? "Use LIKE, ILIKE, starts_with or strpos instead of regular expressions."
          : kList);
}

void refuse_function(Oid function) {
  const char* name = get_func_name(function);
  refuse_construct(
      psprintf("the %sfunction %s is", function >= FirstUnpinnedObjectId ? "user-defined " : "",
               name != NULL ? name : "?"),
      kList);
}

}  // namespace dpmix::pg
