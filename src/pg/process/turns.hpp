// Whose turn it is where roles compete for release processes. Under the pool's lock.
#pragma once

#include "pg/process/places.hpp"

namespace dpmix::pg {

// So long does a role that waits for a place sleep between two looks.
constexpr int kLookMilliseconds = 100;

// Whether a free place is another role's: this one has its part, and one that waits has less. Of
// those that wait for a free place some role may always take it.
bool is_others_turn(const Pool* pool, int processes, Oid role, TimestampTz now);
// The role waits for a place, or has just got one. Where there is no room for a wish, whoever has
// it waits like everybody.
void note_wish(Pool* pool, Oid role, bool waits, TimestampTz now);

}  // namespace dpmix::pg
