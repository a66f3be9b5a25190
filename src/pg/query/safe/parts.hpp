// What the compiler of row expressions (expression.hpp) makes of each part of one.
//
// A function is on a list when its entry says how a call becomes one that no row can make raise.
// There is a file for each kind of functions; to add one, write a SafeFunctions of it and enter
// that in expression.cpp.
#pragma once

#include "core/input/value_interval.hpp"
#include "pg/query/read/shape.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// What is known of intervals besides their length. Columns may hold any mixture of months, days and
// hours, of either sign.
struct IntervalShape {
  ValueInterval months, days;  // as the interval holds them
  bool justified;              // days and time of one sign, the time less than a day
};

struct SafePart {
  Expr* value;
  // A number that became float8, whatever its type was in the query. Else the type is the query's.
  bool recompiled;
  bool present;  // never NULL nor NaN
  // What a number lies within; dates in days, and other times in seconds, since 2000-01-01 or
  // midnight; intervals in seconds as extract(epoch FROM ...) counts them.
  ValueInterval range;
  IntervalShape interval;
  // Whether a text is short_text, and the most characters and bytes it has then.
  bool short_text;
  double characters, bytes;
  // How many characters a text that is summed counts as having, as the owner says; not finite: as
  // many as it has.
  ValueInterval length;
};

// What columns stand for: themselves; where the owner says so, the middle of the bounds for NaN;
// what the declared bounds make of them.
enum class ColumnsAs { stored, counted, summed };

struct SafeCompiler {
  const RowScope* scope;
  ColumnsAs columns;
  const SafePart* tested;  // what CASE compares in its WHEN
  // Why bounds were lost first, and what to do: for PV003.
  const char *unbounded, *instead;
  SafePart (*compile)(SafeCompiler* compiler, Node* node);  // expression.cpp

  bool bounded() const { return columns == ColumnsAs::summed; }
};

// The part that stands for a node; PV002 when something in it is not on the lists.
inline SafePart safe_part(SafeCompiler* compiler, Node* node) {
  return compiler->compile(compiler, node);
}

SafePart* parts_of(SafeCompiler* compiler, List* nodes);
List* values_of(const SafePart* part, int count);

// A call of a function or operator, with its arguments made safe.
struct SafeCall {
  SafeCompiler* compiler;
  Node* node;  // FuncExpr or OpExpr, as analysed
  Oid function;
  Oid collation;  // the arguments'
  const char* name;
  int count;
  Node** argument;  // as analysed
  SafePart* part;
};

// False when the function is on none of its lists.
using SafeFunctions = bool (*)(const SafeCall* call, SafePart* made);

constexpr const char* kExpressionList =
    "Write it with what docs/guide/query_expressions.md lists: comparisons, + - * / % ^, abs, "
    "floor, ceil, round, trunc, sqrt, ln, log, exp, power, sign, greatest, least, lower, upper, "
    "length, left, right, substring, trim, ||, strpos, starts_with, LIKE, ILIKE, CASE, COALESCE, "
    "NULLIF, extract, date_part, date_trunc, date_bin, to_char, age, times moved by intervals, "
    "differences of times; or let the owner store it in a column.";

// PV002, with what to write instead.
[[noreturn]] void refuse_operator(Oid op);
[[noreturn]] void refuse_function(Oid function);

bool is_in_time(Oid type);  // date, time, timestamp, timestamptz, interval

SafePart plain_part(Expr* value);  // a part of the query's type, nothing known
// The same call over safe arguments of the query's types.
SafePart same_call(const SafeCall* call);

}  // namespace dpmix::pg
