// Which rows of each privacy unit count: at random, within the bounds of a Contribution.
//
// Enters: the rows twice, in any two orders, each as the number of its unit and of its group
// (0, 1, 2, ... as they come). Between the two times it is drawn how many rows of each unit count
// in each group; which ones, as they come the second time. Leaves: for each row whether it counts.
// Guaranteed, whatever comes: no unit has more rows, groups, or rows in a group than the bounds.
// And where the same rows come twice, the law of the rows kept: as by the least of random draws,
// one for each row (docs/proofs/query_units.md). Memory: by units, or pairs of unit and group, not
// rows.
//
// Random: below(n) is uniform on 0, ..., n - 1, as of RandomStream. One that has of(unit) and
// order(group) draws for each unit by itself (the replay audit's). Notes: a word for each unit, 0
// at first, that the caller keeps where it has the unit: size(), [unit].
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/base/poll.hpp"
#include "core/query/contribution.hpp"
#include "core/query/group_lots.hpp"
#include "core/query/group_tables.hpp"

namespace dpmix {

template <class Notes>
class UnitSample {
 public:
  // by_group: groups matter, for the bounds or for first(). seed: a secret of hashes.
  UnitSample(const Contribution& most, bool by_group, std::uint64_t seed, Notes notes)
      : most_(most), by_group_(by_group), notes_(notes), groups_(seed) {}

  // Bytes that a unit takes in one group, at most, besides its note.
  static constexpr double bytes_each(bool by_group) {
    return by_group ? GroupTables::kBytesEach : 0;
  }

  // Counts a row, the first time.
  void count(std::uint32_t unit, std::uint32_t group) {
    std::uint64_t& rows = by_group_ ? groups_.word(added_place(unit, group)) : notes_[unit];
    if (left(rows) == kMostLeft) throw std::length_error("too many rows of one privacy unit");
    rows += kOneLeft;
  }

  // Passes on how many rows each unit has, after the first time, where groups do not matter.
  template <class Receive>
  void each_unit(const Receive& receive) const {
    for (std::uint32_t unit = 0; unit < notes_.size(); unit++) {
      if (unit % 4096 == 0) poll();
      receive(left(notes_[unit]));
    }
  }

  // Draws how many rows of each unit count, between the two times.
  template <class Random>
  void choose(Random& random) {
    for (std::uint32_t unit = 0; unit < notes_.size(); unit++) {
      if (unit % 4096 == 0) poll();
      if (by_group_) {
        choose_by_group(unit, random);
      } else {
        notes_[unit] += std::min<std::uint64_t>(left(notes_[unit]), most_.rows);
      }
    }
  }

  // Whether a row counts, the second time.
  template <class Random>
  bool keeps(std::uint32_t unit, std::uint32_t group, Random& random) {
    const std::uint32_t place = place_of(unit, group);
    std::uint64_t& rows = by_group_ ? groups_.word(place) : notes_[place];
    if constexpr (DrawsByUnit<Random>) random.of(unit);
    if (left(rows) == 0) throw std::logic_error("more rows of a privacy unit than were counted");
    // Each row left is as likely as another to be wanted.
    const bool kept =
        wanted(rows) == left(rows) || (wanted(rows) > 0 && random.below(left(rows)) < wanted(rows));
    rows -= kOneLeft + kept;
    return kept;
  }

  // Whether it is asked for the first time, of this list, about the unit in this group.
  bool first(int list, std::uint32_t unit, std::uint32_t group) {
    if (asked_.size() <= static_cast<std::size_t>(list)) asked_.resize(list + 1);
    std::vector<bool>& asked = asked_[list];
    if (asked.empty()) asked.resize(places());
    const std::uint32_t place = place_of(unit, group);
    const bool before = asked[place];
    asked[place] = true;
    return !before;
  }

 private:
  // Rows of a unit, in a group where groups matter: how many are still to come, and how many of
  // these are wanted, in the low bits.
  static constexpr int kWantedBits = 20;
  static constexpr std::uint64_t kOneLeft = std::uint64_t{1} << kWantedBits;
  static constexpr std::uint64_t kMostLeft = ~std::uint64_t{0} >> kWantedBits;
  static_assert(kMostRowsPerUnit < kOneLeft);
  static std::uint64_t left(std::uint64_t rows) { return rows >> kWantedBits; }
  static std::uint64_t wanted(std::uint64_t rows) { return rows & (kOneLeft - 1); }

  std::size_t places() const { return by_group_ ? groups_.places() : notes_.size(); }

  std::uint32_t added_place(std::uint32_t unit, std::uint32_t group) {
    const std::uint32_t known = groups_.find(notes_[unit], group);
    return known != GroupTables::kNone ? known : groups_.add(notes_[unit], group);
  }
  std::uint32_t place_of(std::uint32_t unit, std::uint32_t group) const {
    if (!by_group_) return unit;
    const std::uint32_t place = groups_.find(notes_[unit], group);
    if (place == GroupTables::kNone) throw std::logic_error("a group that a unit did not have");
    return place;
  }

  template <class Random>
  void choose_by_group(std::uint32_t unit, Random& random) {
    here_.clear();
    lots_.clear();
    groups_.each(notes_[unit], [&](std::uint32_t place) { here_.push_back(place); });
    if constexpr (DrawsByUnit<Random>) {
      random.of(unit);
      std::ranges::sort(here_, {}, [&](std::uint32_t p) { return random.order(groups_.group(p)); });
    }
    for (const std::uint32_t place : here_) lots_.push_back(left(groups_.word(place)));
    draw_lots(most_, random, lots_, open_);
    for (std::size_t i = 0; i < here_.size(); i++) groups_.word(here_[i]) += lots_[i];
  }

  Contribution most_;
  bool by_group_;
  Notes notes_;  // of each unit: its rows; where groups matter: the table of them
  GroupTables groups_;
  std::vector<std::vector<bool>> asked_;
  std::vector<std::uint32_t> here_;
  std::vector<std::uint64_t> lots_;
  WeightedPlaces open_;
};

}  // namespace dpmix
