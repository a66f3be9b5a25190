// A sub-select that aggregates all people, and is compared with columns of one public table around
// it: a question of its own, asked once for all rows of that table.
//
//     (SELECT avg(l.quantity) FROM lines l WHERE l.part = p.part)
// becomes a query grouped by a copy of the table's columns; what the statement then reads of its
// answer, for each row, is the group of these columns' values. Each row has one: its columns are
// never NULL, and nothing else within says anything about what they are compared with.
#pragma once

#include "pg/facade/calls.hpp"
#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

struct PublicCorrelation {
  List* outer;  // columns around, as the sub-select names them
  int targets;  // how many it had: the keys come after them
};

// Whether a query within a statement is one.
bool follows_public_rows(const QueryLevel* level);
// It becomes a query grouped by the columns of a copy of the public table.
PublicCorrelation group_by_public_columns(const QueryLevel* level);
// Once its block was replaced: it reads the answer's group of the row around.
void read_group_of_row(const QueryLevel* level, const PublicCorrelation& correlation,
                       StatementAnswers* answers);

// Where private rows are what is around, each such sub-select becomes a look-up of a constant table
// of answers (dpmix_internal.answer_of): an expression that a row can be asked.
// PV002: its answers are no numbers, or its key is no whole number.
void look_up_answers(const QueryLevel* level, StatementAnswers* answers);

}  // namespace dpmix::pg
