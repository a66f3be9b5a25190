// Rows of a table that nothing of a text can want need not be held: those that fail what is said
// about that table alone where it is read.
//
// The conditions stay where they are, so that what is made of the rows that are held is the same:
// docs/proofs/people.md, "What is held".
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// Whether an expression that is compiled is of columns of this table, and of nothing but these.
bool reads_one_table(Node* expression, int varno);

// Of each protected table of a query, whose FROM and WHERE are compiled, what its rows are asked.
void note_reads(const LayerQuery* level);
// When all of a text is compiled: held is what every place that reads a table asks of it.
void hold_what_is_asked(const LayerTables* all);

}  // namespace dpmix::pg
