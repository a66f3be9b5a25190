// Which of the public values that keys have rows can have, by the facts about their columns.
//
// A value is left out where a fact about the key, and nothing else, is false or NULL of it. All of
// it is text, parameters and declarations.
#pragma once

#include "pg/query/keys/column.hpp"

namespace dpmix::pg {

// Leaves out values of a key that is a plain column, or an expression that facts are about.
void narrow_key(const List* facts, KeyColumn* key);
// Leaves out all others; one of them stays where it would be all, and stands for no row.
void keep_values(KeyColumn* key, const bool* admitted);

// No row at all can satisfy them: some column would need a value that its type does not have.
bool contradict(const List* facts);

// What `=` and IN name of a column, which then has no other values: as they stand in the text. No
// fact does: 0. any_form: of types that have several forms of equal values, too.
int values_named(const List* facts, const Var* column, bool any_form, Datum** value);
// Leaves out values that a key of one column has at none of those that are named.
void narrow_to_named(const List* facts, KeyColumn* key);

}  // namespace dpmix::pg
