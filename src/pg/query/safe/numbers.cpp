#include "pg/query/safe/numbers.hpp"

#include "pg/rows/to_float8.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Arithmetic {
  Oid function;
  RowOperation operation;
};

// clang-format off
constexpr Arithmetic kArithmetic[] = {
    {F_INT2PL, RowOperation::add}, {F_INT4PL, RowOperation::add}, {F_INT8PL, RowOperation::add},
    {F_INT24PL, RowOperation::add}, {F_INT42PL, RowOperation::add}, {F_INT28PL, RowOperation::add},
    {F_INT82PL, RowOperation::add}, {F_INT48PL, RowOperation::add}, {F_INT84PL, RowOperation::add},
    {F_FLOAT4PL, RowOperation::add}, {F_FLOAT8PL, RowOperation::add}, {F_FLOAT48PL, RowOperation::add},
    {F_FLOAT84PL, RowOperation::add}, {F_NUMERIC_ADD, RowOperation::add},
    {F_INT2MI, RowOperation::subtract}, {F_INT4MI, RowOperation::subtract}, {F_INT8MI, RowOperation::subtract},
    {F_INT24MI, RowOperation::subtract}, {F_INT42MI, RowOperation::subtract}, {F_INT28MI, RowOperation::subtract},
    {F_INT82MI, RowOperation::subtract}, {F_INT48MI, RowOperation::subtract}, {F_INT84MI, RowOperation::subtract},
    {F_FLOAT4MI, RowOperation::subtract}, {F_FLOAT8MI, RowOperation::subtract}, {F_FLOAT48MI, RowOperation::subtract},
    {F_FLOAT84MI, RowOperation::subtract}, {F_NUMERIC_SUB, RowOperation::subtract},
    {F_INT2MUL, RowOperation::multiply}, {F_INT4MUL, RowOperation::multiply}, {F_INT8MUL, RowOperation::multiply},
    {F_INT24MUL, RowOperation::multiply}, {F_INT42MUL, RowOperation::multiply}, {F_INT28MUL, RowOperation::multiply},
    {F_INT82MUL, RowOperation::multiply}, {F_INT48MUL, RowOperation::multiply}, {F_INT84MUL, RowOperation::multiply},
    {F_FLOAT4MUL, RowOperation::multiply}, {F_FLOAT8MUL, RowOperation::multiply}, {F_FLOAT48MUL, RowOperation::multiply},
    {F_FLOAT84MUL, RowOperation::multiply}, {F_NUMERIC_MUL, RowOperation::multiply},
    {F_FLOAT4DIV, RowOperation::divide}, {F_FLOAT8DIV, RowOperation::divide}, {F_FLOAT48DIV, RowOperation::divide},
    {F_FLOAT84DIV, RowOperation::divide}, {F_NUMERIC_DIV, RowOperation::divide},
    {F_INT2DIV, RowOperation::quotient}, {F_INT4DIV, RowOperation::quotient}, {F_INT8DIV, RowOperation::quotient},
    {F_INT24DIV, RowOperation::quotient}, {F_INT42DIV, RowOperation::quotient}, {F_INT28DIV, RowOperation::quotient},
    {F_INT82DIV, RowOperation::quotient}, {F_INT48DIV, RowOperation::quotient}, {F_INT84DIV, RowOperation::quotient},
    {F_DIV, RowOperation::quotient}, {F_NUMERIC_DIV_TRUNC, RowOperation::quotient},
    {F_INT2MOD, RowOperation::remainder}, {F_INT4MOD, RowOperation::remainder}, {F_INT8MOD, RowOperation::remainder},
    {F_NUMERIC_MOD, RowOperation::remainder}, {F_MOD_INT2_INT2, RowOperation::remainder},
    {F_MOD_INT4_INT4, RowOperation::remainder}, {F_MOD_INT8_INT8, RowOperation::remainder},
    {F_MOD_NUMERIC_NUMERIC, RowOperation::remainder},
    {F_DPOW, RowOperation::power}, {F_POW_FLOAT8_FLOAT8, RowOperation::power},
    {F_POWER_FLOAT8_FLOAT8, RowOperation::power}, {F_NUMERIC_POWER, RowOperation::power},
    {F_POW_NUMERIC_NUMERIC, RowOperation::power}, {F_POWER_NUMERIC_NUMERIC, RowOperation::power},
    {F_LOG_NUMERIC_NUMERIC, RowOperation::log_base}, {F_NUMERIC_LOG, RowOperation::log_base},
    {F_ROUND_NUMERIC_INT4, RowOperation::round_digits}, {F_TRUNC_NUMERIC_INT4, RowOperation::trunc_digits},
    {F_INT2UM, RowOperation::negate}, {F_INT4UM, RowOperation::negate}, {F_INT8UM, RowOperation::negate},
    {F_FLOAT4UM, RowOperation::negate}, {F_FLOAT8UM, RowOperation::negate}, {F_NUMERIC_UMINUS, RowOperation::negate},
    {F_INT2ABS, RowOperation::absolute}, {F_INT4ABS, RowOperation::absolute}, {F_INT8ABS, RowOperation::absolute},
    {F_FLOAT4ABS, RowOperation::absolute}, {F_FLOAT8ABS, RowOperation::absolute}, {F_NUMERIC_ABS, RowOperation::absolute},
    {F_ABS_INT2, RowOperation::absolute}, {F_ABS_INT4, RowOperation::absolute}, {F_ABS_INT8, RowOperation::absolute},
    {F_ABS_FLOAT4, RowOperation::absolute}, {F_ABS_FLOAT8, RowOperation::absolute}, {F_ABS_NUMERIC, RowOperation::absolute},
    {F_FLOOR_FLOAT8, RowOperation::floor}, {F_FLOOR_NUMERIC, RowOperation::floor},
    {F_CEIL_FLOAT8, RowOperation::ceiling}, {F_CEIL_NUMERIC, RowOperation::ceiling},
    {F_CEILING_FLOAT8, RowOperation::ceiling}, {F_CEILING_NUMERIC, RowOperation::ceiling},
    {F_ROUND_NUMERIC, RowOperation::round},
    {F_ROUND_FLOAT8, RowOperation::round_even}, {F_DROUND, RowOperation::round_even},
    {F_TRUNC_FLOAT8, RowOperation::truncate}, {F_DTRUNC, RowOperation::truncate}, {F_TRUNC_NUMERIC, RowOperation::truncate},
    {F_SIGN_FLOAT8, RowOperation::sign_or_zero}, {F_SIGN_NUMERIC, RowOperation::sign},
    {F_DSQRT, RowOperation::square_root}, {F_SQRT_FLOAT8, RowOperation::square_root},
    {F_SQRT_NUMERIC, RowOperation::square_root}, {F_NUMERIC_SQRT, RowOperation::square_root},
    {F_DCBRT, RowOperation::cube_root}, {F_CBRT, RowOperation::cube_root},
    {F_DEXP, RowOperation::exponential}, {F_EXP_FLOAT8, RowOperation::exponential},
    {F_EXP_NUMERIC, RowOperation::exponential}, {F_NUMERIC_EXP, RowOperation::exponential},
    {F_DLOG1, RowOperation::natural_log}, {F_LN_FLOAT8, RowOperation::natural_log},
    {F_LN_NUMERIC, RowOperation::natural_log}, {F_NUMERIC_LN, RowOperation::natural_log},
    {F_DLOG10, RowOperation::log10}, {F_LOG_FLOAT8, RowOperation::log10}, {F_LOG_NUMERIC, RowOperation::log10},
    {F_LOG10_FLOAT8, RowOperation::log10}, {F_LOG10_NUMERIC, RowOperation::log10},
    // Casts to integers: numeric is rounded half away from 0, floats half to even.
    {F_INT2_NUMERIC, RowOperation::round}, {F_INT4_NUMERIC, RowOperation::round}, {F_INT8_NUMERIC, RowOperation::round},
    {F_INT2_FLOAT4, RowOperation::round_even}, {F_INT4_FLOAT4, RowOperation::round_even},
    {F_INT8_FLOAT4, RowOperation::round_even}, {F_INT2_FLOAT8, RowOperation::round_even},
    {F_INT4_FLOAT8, RowOperation::round_even}, {F_INT8_FLOAT8, RowOperation::round_even},
};

// What gives the value itself, once it is a float8.
constexpr Oid kIdentities[] = {
    F_INT2UP, F_INT4UP, F_INT8UP, F_FLOAT4UP, F_FLOAT8UP, F_NUMERIC_UPLUS,
    F_INT2_INT4, F_INT2_INT8, F_INT4_INT8, F_INT4_INT2, F_INT8_INT2, F_INT8_INT4,
    F_FLOAT4_INT2, F_FLOAT4_INT4, F_FLOAT4_INT8, F_FLOAT4_FLOAT8, F_FLOAT4_NUMERIC,
    F_FLOAT8_INT2, F_FLOAT8_INT4, F_FLOAT8_INT8, F_FLOAT8_FLOAT4, F_FLOAT8_NUMERIC,
    F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8, F_NUMERIC_FLOAT4, F_NUMERIC_FLOAT8,
};

// Those that change no value, of columns too, and are no narrower than what they take.
constexpr Oid kExactCasts[] = {
    F_INT4_INT2, F_INT8_INT2, F_INT8_INT4, F_FLOAT8_INT2, F_FLOAT8_INT4, F_FLOAT8_INT8,
    F_FLOAT8_FLOAT4, F_FLOAT4_INT2, F_FLOAT4_INT4, F_FLOAT4_INT8,
    F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8,
};
// clang-format on

// What each is compiled to: PostgreSQL's own function of float8 where that is total, dpmix's
// otherwise.
struct Compiled {
  RowOperation operation;
  const char* own;  // dpmix's function; NULL: builtin
  Oid builtin;
};
constexpr Compiled kCompiled[] = {
    {RowOperation::add, "total_add", InvalidOid},
    {RowOperation::subtract, "total_subtract", InvalidOid},
    {RowOperation::multiply, "total_multiply", InvalidOid},
    {RowOperation::divide, "total_divide", InvalidOid},
    {RowOperation::quotient, "total_quotient", InvalidOid},
    {RowOperation::remainder, "total_remainder", InvalidOid},
    {RowOperation::power, "total_power", InvalidOid},
    {RowOperation::log_base, "total_log_base", InvalidOid},
    {RowOperation::round_digits, "total_round_digits", InvalidOid},
    {RowOperation::trunc_digits, "total_trunc_digits", InvalidOid},
    {RowOperation::round, "total_round", InvalidOid},
    {RowOperation::sign, "total_sign", InvalidOid},
    {RowOperation::square_root, "total_sqrt", InvalidOid},
    {RowOperation::exponential, "total_exp", InvalidOid},
    {RowOperation::natural_log, "total_ln", InvalidOid},
    {RowOperation::log10, "total_log10", InvalidOid},
    {RowOperation::cube_root, "total_cbrt", InvalidOid},
    {RowOperation::negate, NULL, F_FLOAT8UM},
    {RowOperation::absolute, NULL, F_FLOAT8ABS},
    {RowOperation::floor, NULL, F_FLOOR_FLOAT8},
    {RowOperation::ceiling, NULL, F_CEIL_FLOAT8},
    {RowOperation::round_even, NULL, F_ROUND_FLOAT8},
    {RowOperation::truncate, NULL, F_TRUNC_FLOAT8},
    {RowOperation::sign_or_zero, NULL, F_SIGN_FLOAT8},
};

Expr* call_operation(RowOperation operation, List* arguments) {
  for (const Compiled& known : kCompiled) {
    if (known.operation != operation) continue;
    return known.own != NULL ? call_dpmix(known.own, FLOAT8OID, arguments)
                             : call_builtin(known.builtin, FLOAT8OID, arguments);
  }
  elog(ERROR, "row operation %d is not known", (int)operation);
}

// Where an operation over bounded arguments has no bounds: why, and what to write.
void explain_unbounded(SafeCompiler* compiler, RowOperation operation, const char* name) {
  if (compiler->unbounded != NULL) return;
  switch (operation) {
    case RowOperation::divide:
    case RowOperation::quotient:
      compiler->unbounded = psprintf("What %s divides by can be 0 or come close to it.", name);
      compiler->instead =
          "Divide by greatest(divisor, 1), or put the quotient between bounds: "
          "least(greatest(quotient, lower), upper).";
      break;
    case RowOperation::natural_log:
    case RowOperation::log10:
    case RowOperation::log_base:
      compiler->unbounded = psprintf("What %s takes can come close to 0, or its base to 1.", name);
      compiler->instead = "Write ln(greatest(x, 1)), with the least x that matters.";
      break;
    default:
      compiler->unbounded = psprintf("The result of %s can be beyond every number.", name);
      compiler->instead =
          "Put the argument or the result between bounds: least(greatest(x, lower), upper).";
  }
}

void check_digits(const SafeCall* call) {
  const Node* digits = call->argument[1];
  if (is_constant(digits)) {
    const int32 number = DatumGetInt32(constant_value(digits));
    if (number >= -22 && number <= 22) return;
  }
  refuse_construct(
      psprintf("%s to a number of decimals that is not a constant from -22 to 22 is", call->name),
      "Write the number of decimals as a constant.");
}

SafePart arithmetic_part(const SafeCall* call, RowOperation operation) {
  if (operation == RowOperation::round_digits || operation == RowOperation::trunc_digits) {
    check_digits(call);
  }
  List* arguments = NIL;
  bool bounded = call->compiler->bounded();  // else nobody asks
  for (int i = 0; i < call->count; i++) {
    arguments = lappend(arguments, number_of(&call->part[i]));
    bounded = bounded && call->part[i].range.finite();
  }
  const ValueInterval second = call->count > 1 ? call->part[1].range : ValueInterval{};
  const ValueInterval range = interval_of(operation, call->part[0].range, second);
  if (bounded && !range.finite()) explain_unbounded(call->compiler, operation, call->name);
  return number_part(call_operation(operation, arguments), range);
}

SafePart cast_part(const SafeCall* call) {
  const SafePart* from = &call->part[0];
  SafePart made = *from;
  if (!from->recompiled && contains(kExactCasts, call->function)) {
    made.value = same_call(call).value;
  } else {
    made.value = number_of(from);
    made.recompiled = true;
  }
  return made;
}

bool has_number_arguments(const SafeCall* call) {
  for (int i = 0; i < call->count; i++) {
    if (!is_number(exprType(call->argument[i]))) return false;
  }
  return true;
}

}  // namespace

bool safe_number_function(const SafeCall* call, SafePart* made) {
  if (call->function == F_INT4_BOOL) {
    *made = same_call(call);
    made->range = whole(0, 1);
    return true;
  }
  if (call->function == F_BOOL_INT4) {  // any integer but 0
    *made = plain_part(
        comparison(kFloat8Differs, number_of(&call->part[0]), (Expr*)float8_constant(0)));
    return true;
  }
  if (call->count == 0 || !has_number_arguments(call)) return false;
  if (call->count == 1 && contains(kIdentities, call->function)) {
    *made = cast_part(call);
    return true;
  }
  const auto operation = row_operation(call->function);
  if (operation) *made = arithmetic_part(call, *operation);
  return operation.has_value();
}

std::optional<RowOperation> row_operation(Oid function) {
  for (const Arithmetic& known : kArithmetic) {
    if (known.function == function) return known.operation;
  }
  return std::nullopt;
}

bool is_integer(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool is_number(Oid type) {
  return is_integer(type) || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

bool is_conversion(Oid function) {
  if (is_widening_cast(function)) return true;
  const char* name = get_func_name(function);
  return name != NULL && strcmp(name, "to_float8") == 0 && is_dpmix_function(function);
}

bool is_placed_number(const FuncExpr* call) {
  const char* name = get_func_name(call->funcid);
  return name != NULL && strcmp(name, kPlacedNumber) == 0 && is_dpmix_function(call->funcid);
}

// By functions that cannot fail on a value.
Expr* as_float8(Expr* number) {
  switch (exprType((Node*)number)) {
    case INT2OID:
      return call_builtin(F_FLOAT8_INT2, FLOAT8OID, list_make1(number));
    case INT4OID:
      return call_builtin(F_FLOAT8_INT4, FLOAT8OID, list_make1(number));
    case INT8OID:
      return call_builtin(F_FLOAT8_INT8, FLOAT8OID, list_make1(number));
    case FLOAT4OID:
      return call_builtin(F_FLOAT8_FLOAT4, FLOAT8OID, list_make1(number));
    case NUMERICOID:
      return call_to_float8(number);
    case FLOAT8OID:
      return number;
    default:
      elog(ERROR, "a value of type %u is no number", exprType((Node*)number));
  }
}

Expr* number_of(const SafePart* part) {
  if (part->recompiled) return part->value;
  if (IsA(part->value, Const) && !((const Const*)part->value)->constisnull) {
    return (Expr*)float8_constant(float8_of((const Const*)part->value));
  }
  return as_float8(part->value);
}

SafePart number_part(Expr* value, const ValueInterval& range) {
  SafePart part = plain_part(value);
  part.recompiled = true;
  part.range = range;
  return part;
}

double float8_of(const Const* number) {
  const Datum value = number->constvalue;
  switch (number->consttype) {
    case INT2OID:
      return DatumGetInt16(value);
    case INT4OID:
      return DatumGetInt32(value);
    case INT8OID:
      return (double)DatumGetInt64(value);
    case FLOAT4OID:
      return DatumGetFloat4(value);
    case FLOAT8OID:
      return DatumGetFloat8(value);
    case NUMERICOID:
      return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
    case DATEOID:
      return date_float8(DatumGetDateADT(value));
    default:
      elog(ERROR, "a constant of type %u is no number", number->consttype);
  }
}

}  // namespace dpmix::pg
