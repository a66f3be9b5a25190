// dpmix_internal.numbers_seen(number, size): which of the numbers 0..size-1 occur, as a bitmap.
// What a count of distinct categories sums: small, mergeable, equal for any order of rows.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

constexpr int kMostNumbersSeen = 1 << 24;
// What it returned: how many were seen.
int64 read_numbers_seen(Datum set);

}  // namespace dpmix::pg
