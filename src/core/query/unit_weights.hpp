// How much each row of a privacy unit counts, so that the unit's whole vector keeps a norm.
//
// Enters: the rows twice, in any two orders, each as the numbers of its unit and its group (0, 1,
// 2, ... as they come), and in which lists it is: a list has the rows that one FILTER lets through,
// or the pairs of unit and group that have such a row. Between the two times each unit gets its
// weights. Leaves: for each row and list a weight in units of 2^-bits, from 0 to 2^bits.
// Guaranteed, whatever comes the second time: in no list is the norm of a unit's weights, added up
// by group, above its bound (docs/proofs/query_units.md, "Weights"). They are a function of the
// unit's own rows, as a multiset. Nothing is drawn, but in a list of pairs that has room for fewer
// of a unit than it has: which ones count. Memory: by units, or unit, group and list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/poll.hpp"
#include "core/query/group_tables.hpp"
#include "core/query/norm_bound.hpp"

namespace dpmix {

template <class Notes>
class UnitWeights {
 public:
  // by_group: rows of different groups are told apart. seed: a secret of hashes. bits <= 20.
  // Notes: a word for each unit, 0 at first, that the caller keeps: size(), [unit].
  UnitWeights(std::vector<NormBound> lists, int bits, bool by_group, std::uint64_t seed,
              Notes notes)
      : lists_(std::move(lists)),
        bits_(bits),
        by_place_(has_places(by_group, lists_.size())),
        notes_(notes),
        places_(seed),
        bounded_(lists_.size()),
        sums_(lists_.size()) {}

  // That a unit takes in one group, at most, besides its note.
  static double bytes_each(bool by_group, std::size_t lists) {
    return has_places(by_group, lists)
               ? GroupTables::kBytesEach * static_cast<double>(std::max<std::size_t>(lists, 1))
               : 0;
  }

  // The first time: a row that is in the list.
  void count(int list, std::uint32_t unit, std::uint32_t group) {
    std::uint64_t& rows = by_place_ ? places_.word(added_place(list, unit, group)) : notes_[unit];
    if (lists_[static_cast<std::size_t>(list)].pairs) {
      rows = kOneLeft;
      return;
    }
    if (left(rows) == kMostLeft) throw std::length_error("too many rows of one privacy unit");
    rows += kOneLeft;
  }

  // Between. Random: below(n) is uniform on 0, ..., n - 1, as of RandomStream.
  template <class Random>
  void choose(Random& random) {
    for (std::uint32_t unit = 0; unit < notes_.size(); unit++) {
      if (unit % 4096 == 0) poll();
      if (by_place_) {
        choose_by_place(unit, random);
      } else if (notes_[unit] != 0) {
        choose_one(unit);
      }
    }
  }

  // The second time: of a row that is in the list.
  std::uint32_t weight(int list, std::uint32_t unit, std::uint32_t group) {
    std::uint64_t* const rows = by_place_ ? known_place(list, unit, group) : &notes_[unit];
    if (left(*rows) == 0) {
      if (lists_[static_cast<std::size_t>(list)].pairs && *rows != 0) return 0;
      throw std::logic_error("more rows of a privacy unit than were counted");
    }
    *rows -= kOneLeft;
    return static_cast<std::uint32_t>(*rows & (kOneLeft - 1)) - 1;
  }

  // Units that have a row in the list which counts for less than 1.
  std::int64_t bounded(int list) const { return bounded_[static_cast<std::size_t>(list)]; }

 private:
  // Rows of a unit in a list, and in a group: how many are still to come, and the weight of each
  // and 1, in the low bits; 0 before it is known.
  static constexpr int kWeightBits = 21;
  static constexpr std::uint64_t kOneLeft = std::uint64_t{1} << kWeightBits;
  static constexpr std::uint64_t kMostLeft = ~std::uint64_t{0} >> kWeightBits;
  static_assert((std::uint64_t{1} << kMostWeightBits) + 1 < kOneLeft);
  static std::uint64_t left(std::uint64_t rows) { return rows >> kWeightBits; }

  static bool has_places(bool by_group, std::size_t lists) { return by_group || lists > 1; }

  std::uint32_t key(int list, std::uint32_t group) const {
    const std::uint64_t made = std::uint64_t{group} * lists_.size() + static_cast<unsigned>(list);
    if (made >= GroupTables::kNone) throw std::length_error("too many groups");
    return static_cast<std::uint32_t>(made);
  }
  std::uint32_t added_place(int list, std::uint32_t unit, std::uint32_t group) {
    const std::uint32_t of = key(list, group), known = places_.find(notes_[unit], of);
    return known != GroupTables::kNone ? known : places_.add(notes_[unit], of);
  }
  std::uint64_t* known_place(int list, std::uint32_t unit, std::uint32_t group) {
    const std::uint32_t place = places_.find(notes_[unit], key(list, group));
    if (place == GroupTables::kNone) throw std::logic_error("a group that a unit did not have");
    return &places_.word(place);
  }

  void choose_one(std::uint32_t unit) {
    UnitSum sum;
    sum.add(lists_[0], left(notes_[unit]));
    notes_[unit] +=
        1 + weight_in_group(lists_[0], weight_of_unit(lists_[0], sum, bits_), left(notes_[unit]));
    bounded_[0] += is_bounded(notes_[unit]);
  }

  template <class Random>
  void choose_by_place(std::uint32_t unit, Random& random) {
    std::fill(sums_.begin(), sums_.end(), UnitSum{});
    here_.clear();
    places_.each(notes_[unit], [&](std::uint32_t place) {
      here_.push_back(place);
      const std::size_t list = list_of(place);
      sums_[list].add(lists_[list], left(places_.word(place)));
    });
    if constexpr (DrawsByUnit<Random>) {
      random.of(unit);
      std::ranges::sort(here_, {}, [&](std::uint32_t place) {
        const auto group = static_cast<std::uint32_t>(places_.group(place) / lists_.size());
        return std::pair(random.order(group), list_of(place));
      });
    }
    for (std::size_t i = 0; i < lists_.size(); i++) {
      sums_[i].limit(lists_[i]);
      sums_[i].weight = weight_of_unit(lists_[i], sums_[i], bits_);
    }
    for (const std::uint32_t place : here_) {
      UnitSum& sum = sums_[list_of(place)];
      std::uint64_t& rows = places_.word(place);
      const std::uint32_t weight = sum.takes_next(random) ? sum.weight : 0;
      rows += 1 + weight_in_group(lists_[list_of(place)], weight, left(rows));
      sum.bounded = sum.bounded || is_bounded(rows);
    }
    for (std::size_t i = 0; i < lists_.size(); i++) bounded_[i] += sums_[i].bounded;
  }

  std::size_t list_of(std::uint32_t place) const { return places_.group(place) % lists_.size(); }
  bool is_bounded(std::uint64_t rows) const {
    return (rows & (kOneLeft - 1)) - 1 < std::uint64_t{1} << bits_;
  }

  std::vector<NormBound> lists_;
  int bits_;
  bool by_place_;
  Notes notes_;  // of each unit: its rows; with places: the table of them
  GroupTables places_;
  std::vector<std::int64_t> bounded_;
  std::vector<UnitSum> sums_;
  std::vector<std::uint32_t> here_;
};

}  // namespace dpmix
