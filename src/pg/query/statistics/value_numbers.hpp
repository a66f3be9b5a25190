// Values of rows, or tuples of them, numbered 0, 1, 2, ... as they come: equal ones alike, by the
// equality of their types that GROUP BY goes by (of texts: that of bytes).
//
// Hashes are keyed with fresh random bits: whoever writes rows cannot make them collide.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct ValueKinds;    // of a tuple
struct ValueNumbers;  // of those that came

constexpr uint32 kNoNumber = PG_UINT32_MAX;

// Whether values of a type can be told apart by their hashes.
bool has_hashes(Oid type);
ValueKinds* value_kinds(int columns, const Oid* types);
// That one of them takes, at most, where texts are as long as the planner takes them for.
double bytes_of_value(const ValueKinds* kinds);

// They end with the current memory context.
ValueNumbers* value_numbers(const ValueKinds* kinds, uint64 seed);

// In a context that is soon reset. Nothing of a tuple is NULL.
uint64 value_hash(const ValueNumbers* numbers, const Datum* values);
uint32 find_number(const ValueNumbers* numbers, uint64 hash, const Datum* values);  // or kNoNumber
uint32 add_number(ValueNumbers* numbers, uint64 hash, const Datum* values);         // or its own

}  // namespace dpmix::pg
