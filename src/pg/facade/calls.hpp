// The answers that a statement needs: calls of dpmix_internal.answer in WITH of the statement
// itself. There each is made when its first row is wanted, once an execution, whatever rescans it;
// equal ones are one.
#pragma once

#include "pg/facade/text.hpp"

namespace dpmix::pg {

struct StatementAnswers {
  Query* statement;
  List* calls;   // FuncExpr
  List* tables;  // oids of what they read
};

// An entry of FROM that reads it, at a depth of the statement. columns: expressions whose types its
// columns have.
RangeTblEntry* answer_entry(StatementAnswers* answers, const PrivateText& text, AnswerMode mode,
                            const List* columns, int depth);

}  // namespace dpmix::pg
