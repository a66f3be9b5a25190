// Which of the public values that keys have rows can have, by the facts about their columns.
//
// A value is left out where a fact about columns that are keys, and no others, is false or NULL of
// it: of such facts, those that tell no equal values apart. All of it is text, parameters and
// declarations.
#pragma once

#include "pg/query/keys/column.hpp"

namespace dpmix::pg {

// Facts whose columns are all among these, each once; evaluated again and again.
struct FactProbes;
FactProbes* facts_about(const List* facts, int columns, Var* const* column);
// missing: which of the columns are NULL, or NULL: none.
bool may_hold(FactProbes* facts, const Datum* value, const bool* missing);
void end_facts(FactProbes* facts);

// Leaves out values of a key that is a plain column.
void narrow_key(const List* facts, KeyColumn* key);

// No row at all can satisfy them: some column would need a value that its type does not have.
bool contradict(const List* facts);

// What `=` and IN name of a column, which then has no other values: as they stand in the text. No
// fact does: 0.
int values_named(const List* facts, const Var* column, Datum** value);

}  // namespace dpmix::pg
