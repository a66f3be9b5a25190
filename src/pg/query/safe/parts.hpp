// What the compiler of row expressions (expression.hpp) makes of each part of one, and the
// lists of functions that it knows: one file for each kind.
//
// A function is on a list when its entry says how a call becomes one that no row can make raise. To
// add a kind of functions, write a SafeFunctions of it and enter that in expression.cpp.
#pragma once

#include "core/input/value_interval.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/query/read/shape.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct SafePart {
  Expr* value;
  // A number that became float8, whatever its type was in the query. Else the type is the query's.
  bool recompiled;
  bool present;         // never NULL nor NaN
  ValueInterval range;  // of numbers, and of dates in days since 2000-01-01
  // Of texts: whether they are short_text, and the most characters and bytes they have then.
  bool short_text;
  double characters, bytes;
};

struct SafeCompiler {
  const RowScope* scope;
  bool bounded;            // columns stand for what the declared bounds make of them
  const SafePart* tested;  // what CASE compares in its WHEN
  // Why bounds were lost first, and what to do: for PV003.
  const char *unbounded, *instead;
};

// The part that stands for a node; PV002 when something in it is not on the lists.
SafePart safe_part(SafeCompiler* compiler, Node* node);

SafePart* parts_of(SafeCompiler* compiler, List* nodes);
List* values_of(const SafePart* part, int count);

// Columns and constants. check_column: a live column of a table, of a type that calls nobody's
// code.
void check_column(const RowScope* scope, const Var* var);
bool is_operand_type(Oid type);  // of constants: arrays, too
SafePart column_part(SafeCompiler* compiler, Var* var);
SafePart constant_part(const Const* constant);

// Choices among values.
SafePart case_part(SafeCompiler* compiler, const CaseExpr* node);
SafePart tested_part(const SafeCompiler* compiler, const CaseTestExpr* node);
SafePart nullif_part(SafeCompiler* compiler, const OpExpr* node);
SafePart coalesce_part(SafeCompiler* compiler, const CoalesceExpr* node);
SafePart extreme_part(SafeCompiler* compiler, const MinMaxExpr* node);

// A call of a function or operator, with its arguments made safe.
struct SafeCall {
  SafeCompiler* compiler;
  Node* node;  // FuncExpr or OpExpr, as analysed
  Oid function;
  Oid collation;  // of the arguments
  const char* name;
  int count;
  Node** argument;  // as analysed
  SafePart* part;
};

// False when the function is on none of its lists.
using SafeFunctions = bool (*)(const SafeCall* call, SafePart* made);
bool safe_number_function(const SafeCall* call, SafePart* made);
bool safe_text_function(const SafeCall* call, SafePart* made);
bool safe_date_function(const SafeCall* call, SafePart* made);

// Comparisons: OpExpr and DistinctExpr (alike in memory), and with constant arrays.
SafePart safe_comparison(SafeCompiler* compiler, OpExpr* node);
SafePart safe_array_comparison(SafeCompiler* compiler, ScalarArrayOpExpr* node);
// Whether values of a type may be put in order under a collation.
bool has_total_order(Oid type, Oid collation);

constexpr const char* kExpressionList =
    "Write it with what docs/guide/query_expressions.md lists: comparisons, + - * / % ^, abs, floor, ceil, "
    "round, trunc, sqrt, ln, log, exp, power, sign, greatest, least, lower, upper, length, left, "
    "right, "
    "substring, trim, ||, strpos, starts_with, LIKE, ILIKE, CASE, COALESCE, NULLIF, days of dates; "
    "or let the owner store it in a column.";

// PV002, with what to write instead.
[[noreturn]] void refuse_operator(Oid op);
[[noreturn]] void refuse_function(Oid function);

// Trees -------------------------------------------------------------------------------------------

SafePart plain_part(Expr* value);  // of the query's type, nothing known
bool is_number(Oid type);
bool is_integer(Oid type);
constexpr Oid kFloat8Differs = 671;  // float8 <> float8
// A number as float8.
Expr* as_float8(Expr* number);
Expr* number_of(const SafePart* part);
SafePart number_part(Expr* value, const ValueInterval& range);  // recompiled
// A constant number, or a date as days, as float8.
double constant_float8(const Const* number);
// The same call over safe arguments of the query's types.
SafePart same_call(const SafeCall* call);

}  // namespace dpmix::pg
