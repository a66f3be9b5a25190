#include "pg/query/answer/operands.hpp"

#include "pg/query/read/aggregate.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

using Kind = Operand::Kind;

bool is_whole(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool is_number(Oid type) {
  return is_whole(type) || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

const Operand* made(Kind kind, const Operand* left, const Operand* right = NULL,
                    double number = 0) {
  Operand* operand = (Operand*)palloc0(sizeof(Operand));
  *operand = {kind, number, -1, left, right};
  return operand;
}

const Operand* constant_operand(const Const* value) {
  if (value->constisnull || !is_number(value->consttype)) return NULL;
  Oid output;
  bool varlena;
  getTypeOutputInfo(value->consttype, &output, &varlena);
  const char* text = OidOutputFunctionCall(output, value->constvalue);
  const double number = DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(text)));
  return made(Kind::constant, NULL, NULL, number);
}

const Operand* converted(const Operand* from, Oid from_type, Oid to_type) {
  if (is_whole(to_type) && !is_whole(from_type)) return made(Kind::places, from);
  if (to_type == FLOAT4OID && from_type != FLOAT4OID) return made(Kind::single, from);
  return from;
}

// A function or the function of an operator, of PostgreSQL's own and by its name.
const Operand* call_operand(const AnswerOperand& answer, const char* name, Oid type,
                            const List* args) {
  const Expr* first = (const Expr*)linitial(args);
  const Oid first_type = exprType((const Node*)first);
  if (!is_number(type) || !is_number(first_type)) return NULL;
  const Operand* left = operand_of(answer, first);
  if (left == NULL) return NULL;
  const bool alone = list_length(args) == 1;
  constexpr const char* kCasts[] = {"int2", "int4", "int8", "float4", "float8", "numeric"};
  for (const char* cast : kCasts) {
    if (strcmp(name, cast) != 0) continue;
    if (alone) return converted(left, first_type, type);
    const Node* typmod = (const Node*)lsecond(args);  // numeric(x, precision and scale)
    if (!is_constant(typmod)) return NULL;
    const int places = (DatumGetInt32(constant_value(typmod)) - VARHDRSZ) & 0x7ff;
    return made(Kind::places, left, NULL, (places ^ 1024) - 1024);
  }
  if (strcmp(name, "sqrt") == 0 && alone) return made(Kind::root, left);
  if (strcmp(name, "round") == 0) {
    if (alone) return made(Kind::places, left);
    const Node* places = (const Node*)lsecond(args);
    if (!is_constant(places)) return NULL;
    return made(Kind::places, left, NULL, DatumGetInt32(constant_value(places)));
  }
  if (strcmp(name, "-") == 0 && alone) {
    return made(Kind::minus, made(Kind::constant, NULL), left);
  }
  if (strcmp(name, "+") == 0 && alone) return left;
  if (alone) return NULL;
  const Operand* right = operand_of(answer, (const Expr*)lsecond(args));
  if (right == NULL) return NULL;
  if (strcmp(name, "+") == 0) return made(Kind::plus, left, right);
  if (strcmp(name, "-") == 0) return made(Kind::minus, left, right);
  if (strcmp(name, "*") == 0) return made(Kind::times, left, right);
  if (strcmp(name, "/") == 0) {
    const Operand* ratio = made(Kind::over, left, right);
    return is_whole(type) ? made(Kind::cut, ratio) : ratio;
  }
  return NULL;
}

// The name of a builtin as in text: functions behind operators go by their operator.
const Operand* function_operand(const AnswerOperand& answer, const FuncExpr* call) {
  if (call->funcid >= FirstUnpinnedObjectId || call->args == NIL || list_length(call->args) > 2) {
    return NULL;
  }
  const char* name = get_func_name(call->funcid);
  constexpr struct {
    const char *function, *op;
  } kOperators[] = {{"float8pl", "+"}, {"float8mi", "-"}, {"float8mul", "*"}, {"float8div", "/"},
                    {"int8pl", "+"},   {"int8mi", "-"},   {"int8mul", "*"},   {"dsqrt", "sqrt"}};
  for (const auto& known : kOperators) {
    if (strcmp(name, known.function) == 0) name = known.op;
  }
  return call_operand(answer, name, call->funcresulttype, call->args);
}

const Operand* operator_operand(const AnswerOperand& answer, const OpExpr* call) {
  if (call->opno >= FirstUnpinnedObjectId) return NULL;
  return call_operand(answer, get_opname(call->opno), call->opresulttype, call->args);
}

}  // namespace

const Operand* answer_operand(int aggregate) {
  Operand* answer = (Operand*)palloc0(sizeof(Operand));
  *answer = {Kind::answer, 0, aggregate, NULL, NULL};
  return answer;
}

const Operand* operand_of(const AnswerOperand& answer, const Expr* expression) {
  check_stack_depth();
  if (const Operand* alone = answer(expression)) return alone;
  switch (nodeTag(expression)) {
    case T_Const:
      return constant_operand((const Const*)expression);
    case T_FuncExpr:
      return function_operand(answer, (const FuncExpr*)expression);
    case T_OpExpr:
      return operator_operand(answer, (const OpExpr*)expression);
    case T_RelabelType:
      return operand_of(answer, ((const RelabelType*)expression)->arg);
    // What has a value at all has it from there.
    case T_NullIfExpr:
      return operand_of(answer, (const Expr*)linitial(((const NullIfExpr*)expression)->args));
    case T_CaseExpr: {
      const CaseExpr* choice = (const CaseExpr*)expression;
      const Node* otherwise = (const Node*)choice->defresult;
      const bool or_null =
          otherwise == NULL || (IsA(otherwise, Const) && ((const Const*)otherwise)->constisnull);
      if (!or_null || list_length(choice->args) != 1) return NULL;
      return operand_of(answer, linitial_node(CaseWhen, choice->args)->result);
    }
    case T_CoalesceExpr: {
      const List* args = ((const CoalesceExpr*)expression)->args;
      for (int i = 1; i < list_length(args); i++) {
        if (!IsA(list_nth(args, i), Const)) return NULL;
      }
      return operand_of(answer, (const Expr*)linitial(args));
    }
    default:
      return NULL;
  }
}

const Operand* operand_of(const QueryShape* shape, const Expr* expression) {
  return operand_of(
      [shape](const Expr* node) -> const Operand* {
        if (!IsA(node, Var)) return NULL;
        const int place = ((const Var*)node)->varattno - shape->keys - 1;
        if (place < 0 || place >= shape->values) return NULL;
        const ReleasedValue* value = &shape->value[place];
        const bool known = value->end == ReleasedEnd::answer &&
                           shape->aggregate[value->aggregate].row->is_number();
        return known ? answer_operand(value->aggregate) : NULL;
      },
      expression);
}

}  // namespace dpmix::pg
