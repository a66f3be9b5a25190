// The answers that a statement needs: calls of dpmix_internal.answer in WITH of the statement
// itself. There each is made when its first row is wanted, once an execution, whatever rescans it;
// equal ones are one.
#pragma once

#include "pg/facade/text.hpp"

namespace dpmix::pg {

struct StatementAnswers {
  Query* statement;
  List* calls;            // FuncExpr
  List* keys;             // of each: how many columns, the first, no two rows share; or -1
  List* key_columns;      // of each: how many columns come before its aggregates
  List* commons;          // of each: its WITH query
  List* tables;           // oids of what they read
  List* by_row;           // sub-selects that read one for each row around (public_correlation.hpp)
  bool widths;            // whether each tells how wide its intervals are, whatever is set
  const char* all_shown;  // why dpmix.suppress hides none of its cells; NULL: it does
};

struct AnswerShape {
  int key_columns;
  int keys;       // -1: rows may have them in common
  List* columns;  // expressions whose types its columns have
};

// An entry of FROM that reads it, at a depth of the statement.
RangeTblEntry* answer_entry(StatementAnswers* answers, const PrivateText& text, AnswerMode mode,
                            const AnswerShape& shape, int depth);

// How many keys the answer has that an entry of FROM reads.
int keys_of_answer(const StatementAnswers* answers, const RangeTblEntry* entry);
// How many columns come before the aggregates of a WITH query that is an answer, or a copy of one.
// -1: it is none.
int key_columns_of_answer(const StatementAnswers* answers, const CommonTableExpr* common);

}  // namespace dpmix::pg
