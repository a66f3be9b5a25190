// Noisy answers that were paid for, one row of dpmix.memory_item for each draw of a statistic.
//
// A draw has the noisy integers of all groups and the law of their noise. Draws that are combined
// into one answer are a chain: it began with a draw of its own, and each later one lacked what was
// there already. An item is read by the build that wrote it, for its key says which that was.
#pragma once

#include "core/noise/law.hpp"
#include "pg/memory/terms.hpp"

namespace dpmix::pg {

struct StoredDraw {
  int key;  // which of the keys that were asked for
  TimestampTz chain, at;
  NoiseLaw law;
  int charges;
  int64* charge;        // one for each protected table
  Size size;            // bytes of the content
  const char* content;  // NULL: not asked for
};

struct StoredDraws {
  int count;
  StoredDraw* draw;  // those of one key together, oldest first
};

struct Readable {  // which draws are looked at
  double seconds;  // their chains began at most so long ago
  // The role, for each protected table, that they were charged or shown to. NULL: anybody.
  const Oid* seen_by = NULL;
  int tables = 0;
};
StoredDraws read_draws(const Digest* keys, int count, const Readable& readable, bool contents);

struct NewDraw {
  Digest key, holder;
  TimestampTz chain, at;
  const char* statistic;  // for people
  const char* mechanism;
  double noise_stddev;  // in the column's units
  int groups;
  NoiseLaw law;
  const int64* charge;
  const char* content;
  Size size;
};

// What an item takes of the room of a grant besides its content.
constexpr double kItemBytes = 256;

// Writes draws, in a transaction that may write. What the same holder kept longest gives way where
// all of its items together would be more than it may have.
void write_draws(const MemoryTerms& terms, const NewDraw* draws, int count);

}  // namespace dpmix::pg
