#include "pg/process/turns.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

constexpr int kWishMilliseconds = 3 * kLookMilliseconds;

bool wants(const Wish& wish, Oid role, TimestampTz now) {
  return wish.database == MyDatabaseId && wish.role == role &&
         !TimestampDifferenceExceeds(wish.looked, now, kWishMilliseconds);
}

int held_by(const Pool* pool, Oid role) {
  int held = 0;
  for (const SharedPlace& place : pool->places) {
    if (place.sequence != 0 && place.database == MyDatabaseId && place.role == role) held++;
  }
  return held;
}

// How many roles hold or want a place, this one included.
int roles_in_all(const Pool* pool, Oid own_role, TimestampTz now) {
  Oid roles[kPlaces + kWishes + 1] = {own_role};
  int count = 1;
  const auto add = [&](Oid role) {
    for (int i = 0; i < count; i++) {
      if (roles[i] == role) return;
    }
    roles[count++] = role;
  };
  for (const SharedPlace& place : pool->places) {
    if (place.sequence != 0 && place.database == MyDatabaseId) add(place.role);
  }
  for (const Wish& wish : pool->wishes) {
    if (wants(wish, wish.role, now)) add(wish.role);
  }
  return count;
}

}  // namespace

bool is_others_turn(const Pool* pool, int processes, Oid role, TimestampTz now) {
  const int part = Max(processes / roles_in_all(pool, role, now), 1);
  if (held_by(pool, role) < part) return false;
  for (const Wish& wish : pool->wishes) {
    if (wish.role == role || !wants(wish, wish.role, now)) continue;
    if (held_by(pool, wish.role) < part) return true;
  }
  return false;
}

void note_wish(Pool* pool, Oid role, bool waits, TimestampTz now) {
  Wish* room = NULL;
  for (Wish& wish : pool->wishes) {
    if (wish.database == MyDatabaseId && wish.role == role) {
      wish.looked = waits ? now : 0;
      return;
    }
    if (TimestampDifferenceExceeds(wish.looked, now, kWishMilliseconds)) room = &wish;
  }
  if (room != NULL && waits) *room = {MyDatabaseId, role, now};
}

}  // namespace dpmix::pg
