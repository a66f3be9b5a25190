// What pg's half of the replay audit sees (docs/proofs/replay.md). Included where DPMIX_REPLAY is
// defined, by pg/border/replay.hpp alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random/stream.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/plannodes.h"
}

namespace dpmix::pg {
struct PricedQuery;
struct QueryGroups;
}  // namespace dpmix::pg

namespace dpmix::replay {

// The key of the release's next stream: a function of the seed and of how many came before.
// False: nobody audits.
bool fixed_key(RandomStream::Key& key);
// Writes down the plan. Returns it, or a copy that leaves out rows that are hidden.
PlannedStmt* seen_plan(PlannedStmt* plan);
// Writes down how far the query says that neighbours move its statistics.
void see_query(const pg::PricedQuery* priced);
// Writes down how far a record moves a row of DP-CDA.
void see_norm(double norm);
// What meets noise from here on is of this statistic.
void see_statistic(int number);
// What meets noise from here on is of a group that was found, until it is nobody's (groups: NULL).
// random: becomes a stream that is a function of the seed and the group's keys.
void see_found(const pg::QueryGroups* groups, const Datum* values, const bool* nulls,
               RandomStream** random);

// Draws for units: functions of the seed, of who the unit is and of its own rows. Numbers of units
// and groups hang on who else there is; their hashes do not. Over layers a unit is known by the
// number under which it is held: it draws by the hash of who has that number.
class UnitDraws {
 public:
  void of(std::uint32_t unit) { now_ = unit; }
  // Where there are no groups all rows are of group 0, which nobody saw.
  std::uint64_t order(std::uint32_t group) const {
    return group < groups_.size() ? groups_[group] : group;
  }
  std::uint64_t below(std::uint64_t bound);

 private:
  friend void begin_units();
  friend void see_unit(std::uint32_t unit, std::uint64_t hash, std::uint64_t value);
  friend void see_group(std::uint32_t group, std::uint64_t hash);

  std::vector<std::uint64_t> states_, groups_;
  std::uint32_t now_ = 0;
};
UnitDraws& unit_draws();
void begin_units();
void see_held(std::uint32_t unit, std::uint64_t hash);
// value: the unit's first column, which is its number where units are held.
void see_unit(std::uint32_t unit, std::uint64_t hash, std::uint64_t value);
void see_group(std::uint32_t group, std::uint64_t hash);

}  // namespace dpmix::replay
