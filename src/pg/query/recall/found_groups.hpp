// Sets of groups that were discovered and released, in memory: an item of their own. Statistics
// name the set that they are of, so that a set and statistics of another one never meet.
#pragma once

#include "pg/memory/items.hpp"
#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

constexpr Size kGroupsIdBytes = 16;

struct FoundGroups {  // discovered ones, that were released before
  bool known;
  uint8 id[kGroupsIdBytes];
  int64 count;
  NullableDatum* key;  // group after group
};

// For people: how many units a discovered group has that comes back half of the time.
const char* half_kept_text(const PricedQuery* priced);
// The keys whose values are found, as the caller wrote them.
const char* found_keys(const PricedQuery* priced);

Digest key_of_found_groups(const MemoryTerms& terms, const Digest& query);
// Not known: found in a way that keeps groups from more units on than this query's, or damaged.
FoundGroups read_found_groups(const PricedQuery* priced, const StoredDraw& stored);

// A new set: its groups in the order in which they are released.
StringInfoData begin_found_groups(const PricedQuery* priced, const uint8* id);
void append_found_key(StringInfo content, const KeyColumn* key, NullableDatum value);
void end_found_groups(StringInfo content, int64 count);

}  // namespace dpmix::pg
