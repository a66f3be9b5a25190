// What an expression over released values computes, as far as intervals of it are known: arithmetic
// of answers and constants, casts, rounding and roots.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct Operand {
  enum class Kind {
    constant,
    answer,  // an aggregate's
    plus,
    minus,
    times,
    over,
    cut,     // cut to a whole number, towards 0
    places,  // rounded to so many decimal places
    single,  // rounded to a real
    root
  } kind;
  double number;  // a constant; decimal places
  int aggregate;
  const Operand *left, *right;
};

const Operand* answer_operand(int aggregate);
// Gives the operand for a node that is an answer; NULL: it is none.
using AnswerOperand = Callable<const Operand*(const Expr*)>;
// The operand that an expression is; NULL: it is something else.
const Operand* operand_of(const AnswerOperand& answer, const Expr* expression);
const Operand* operand_of(const QueryShape* shape, const Expr* expression);  // over a released row

}  // namespace dpmix::pg
