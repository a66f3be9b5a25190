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
// Random: below(n) is uniform on 0, ..., n - 1, as of RandomStream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/base/blocks.hpp"
#include "core/base/hash_index.hpp"
#include "core/base/poll.hpp"
#include "core/query/contribution.hpp"
#include "core/query/group_lots.hpp"

namespace dpmix {

class UnitSample {
 public:
  // by_group: groups matter, for the bounds or for first(). seed: a secret of hashes.
  UnitSample(const Contribution& most, bool by_group, std::uint64_t seed)
      : most_(most), by_group_(by_group), seed_(seed) {}

  static constexpr double bytes_each(bool by_group) {  // of a unit in one group, at most
    const double unit = by_group ? sizeof(std::uint32_t) + sizeof(Link) : 0;
    return unit + sizeof(Rows) + (by_group ? HashIndex::kBytesEach : 0);
  }

  // The first time.
  void count(std::uint32_t unit, std::uint32_t group) {
    if (unit == units_) add_unit();
    Rows& rows = rows_[by_group_ ? add_pair(unit, group) : unit];
    if (rows.left == kMostLeft) throw std::length_error("too many rows of one privacy unit");
    rows.left++;
  }

  // Between.
  template <class Random>
  void choose(Random& random) {
    for (std::uint32_t unit = 0; unit < units_; unit++) {
      if (unit % 4096 == 0) poll();
      if (by_group_) {
        choose_by_group(unit, random);
      } else {
        rows_[unit].wanted = std::min<std::uint64_t>(rows_[unit].left, most_.rows);
      }
    }
  }

  // The second time.
  template <class Random>
  bool keeps(std::uint32_t unit, std::uint32_t group, Random& random) {
    Rows& rows = rows_[place_of(unit, group)];
    if (rows.left == 0) throw std::logic_error("more rows of a privacy unit than were counted");
    // Of those left each is as likely as another to be wanted.
    const bool kept =
        rows.wanted == rows.left || (rows.wanted > 0 && random.below(rows.left) < rows.wanted);
    rows.left--;
    rows.wanted -= kept;
    return kept;
  }

  // Whether it is asked for the first time, of this list, about the unit in this group.
  bool first(int list, std::uint32_t unit, std::uint32_t group) {
    if (asked_.size() <= static_cast<std::size_t>(list)) asked_.resize(list + 1);
    std::vector<bool>& asked = asked_[list];
    if (asked.size() != rows_.size()) asked.resize(rows_.size());
    const std::uint32_t place = place_of(unit, group);
    const bool before = asked[place];
    asked[place] = true;
    return !before;
  }

 private:
  struct Rows {                 // of a unit, in a group where groups matter
    std::uint64_t left : 44;    // that are still to come
    std::uint64_t wanted : 20;  // of these
  };
  static constexpr std::uint64_t kMostLeft = (std::uint64_t{1} << 44) - 1;
  static_assert(kMostRowsPerUnit < 1 << 20);
  struct Link {
    std::uint32_t unit, group;
    std::uint32_t next;  // of the same unit
  };

  void add_unit() {
    units_++;
    if (by_group_) {
      first_.push_back(HashIndex::kNone);
    } else {
      rows_.push_back({0, 0});
    }
  }

  std::uint64_t hash_of(const Link& link) const {
    return mix_bits((std::uint64_t{link.unit} << 32 | link.group) ^ seed_);
  }
  std::uint32_t pair_of(std::uint32_t unit, std::uint32_t group) const {
    return pairs_.find(hash_of({unit, group, 0}), [&](std::uint32_t n) {
      return links_[n].unit == unit && links_[n].group == group;
    });
  }
  std::uint32_t add_pair(std::uint32_t unit, std::uint32_t group) {
    const std::uint32_t known = pair_of(unit, group);
    if (known != HashIndex::kNone) return known;
    const Link link = {unit, group, first_[unit]};
    const std::uint32_t added =
        pairs_.add(hash_of(link), [&](std::uint32_t n) { return hash_of(links_[n]); });
    links_.push_back(link);
    rows_.push_back({0, 0});
    return first_[unit] = added;
  }
  std::uint32_t place_of(std::uint32_t unit, std::uint32_t group) const {
    const std::uint32_t place = by_group_ ? pair_of(unit, group) : unit;
    if (place >= rows_.size()) throw std::logic_error("a privacy unit that was not counted");
    return place;
  }

  template <class Random>
  void choose_by_group(std::uint32_t unit, Random& random) {
    here_.clear();
    for (std::uint32_t n = first_[unit]; n != HashIndex::kNone; n = links_[n].next) {
      here_.push_back(n);
    }
    lots_.clear();
    for (const std::uint32_t n : here_) lots_.push_back(rows_[n].left);
    draw_lots(most_, random, lots_);
    for (std::size_t i = 0; i < here_.size(); i++) rows_[here_[i]].wanted = lots_[i];
  }

  Contribution most_;
  bool by_group_;
  std::uint64_t seed_;
  std::uint32_t units_ = 0;
  Blocks<Rows> rows_;  // of each unit; where groups matter, of each pair
  HashIndex pairs_;
  Blocks<Link> links_;           // of each pair
  Blocks<std::uint32_t> first_;  // pair of each unit
  std::vector<std::vector<bool>> asked_;
  std::vector<std::uint32_t> here_;
  std::vector<std::uint64_t> lots_;
};

}  // namespace dpmix
