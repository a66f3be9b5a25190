// Small hash tables from groups to words, one for each of very many units: a unit's groups lie side
// by side, so that it takes one look into memory to find any of them.
//
// A table is known by a word that whoever makes it keeps; 0 is the empty one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "core/base/blocks.hpp"
#include "core/base/hash_index.hpp"

namespace dpmix {

// A stream that draws for each unit by itself, of its groups in an order of its own: the replay
// audit's.
template <class Random>
concept DrawsByUnit = requires(Random random) {
  random.of(0U), random.order(0U);
};

class GroupTables {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit GroupTables(std::uint64_t seed) : seed_(seed) {}

  std::size_t places() const { return entries_.size(); }
  std::uint64_t& word(std::uint32_t place) { return entries_[place].word; }
  std::uint32_t group(std::uint32_t place) const { return entries_[place].group - 1; }

  std::uint32_t find(std::uint64_t table, std::uint32_t group) const {
    const Table t = read(table);
    if (t.count == 0) return kNone;
    const std::uint32_t mask = (std::uint32_t{1} << t.log) - 1, first = hash_of(group) & mask;
    for (std::uint32_t i = 0; i <= mask; i++) {
      const std::uint32_t place = t.first + ((first + i) & mask);
      if (entries_[place].group == group + 1) return place;
      if (entries_[place].group == 0) break;
    }
    return kNone;
  }

  // Adds a group that find() did not find, and returns its place; its word is 0.
  std::uint32_t add(std::uint64_t& table, std::uint32_t group) {
    Table t = read(table);
    if (t.count == 0) {
      t.first = make(0);
    } else if (t.count == most_in(t.log)) {
      t = larger(t);
    }
    const std::uint32_t place = put(t, {0, group + 1});
    t.count++;
    table = written(t);
    return place;
  }

  template <class Visit>  // visit(place)
  void each(std::uint64_t table, const Visit& visit) const {
    const Table t = read(table);
    if (t.count == 0) return;
    for (std::uint32_t i = 0; i < std::uint32_t{1} << t.log; i++) {
      if (entries_[t.first + i].group != 0) visit(t.first + i);
    }
  }

 private:
  struct Entry {
    std::uint64_t word;
    std::uint32_t group;  // and 1; 0: none
  };
  struct Table {
    std::uint32_t first;  // of 2^log entries
    int log;
    std::uint32_t count;
  };

 public:
  static constexpr double kBytesEach = sizeof(Entry);  // of the first group of a unit

 private:
  static constexpr int kCountBits = 27, kLogs = 29;

  static Table read(std::uint64_t table) {
    return {static_cast<std::uint32_t>(table >> 32), static_cast<int>(table >> kCountBits & 31),
            static_cast<std::uint32_t>(table & ((1 << kCountBits) - 1))};
  }
  static std::uint64_t written(const Table& t) {
    return std::uint64_t{t.first} << 32 | static_cast<std::uint64_t>(t.log) << kCountBits | t.count;
  }
  // Full up to 4, seven eighths above.
  static std::uint32_t most_in(int log) {
    return log < 3 ? 1U << log : (std::uint32_t{1} << log) / 8 * 7;
  }

  std::uint32_t hash_of(std::uint32_t group) const {
    return static_cast<std::uint32_t>(mix_bits(group ^ seed_));
  }

  std::uint32_t put(const Table& t, const Entry& entry) {
    const std::uint32_t mask = (std::uint32_t{1} << t.log) - 1;
    std::uint32_t at = hash_of(entry.group - 1) & mask;
    while (entries_[t.first + at].group != 0) at = (at + 1) & mask;
    entries_[t.first + at] = entry;
    return t.first + at;
  }

  Table larger(const Table& t) {
    if (t.count >> (kCountBits - 1) != 0) throw std::length_error("too many groups of a unit");
    const Table made = {make(t.log + 1), t.log + 1, t.count};
    for (std::uint32_t i = 0; i < std::uint32_t{1} << t.log; i++) {
      if (entries_[t.first + i].group != 0) put(made, entries_[t.first + i]);
    }
    give_back(t.first, t.log);
    return made;
  }

  // 2^log empty entries.
  std::uint32_t make(int log) {
    const std::uint32_t given = given_back_[log];
    if (given != 0) {
      given_back_[log] = static_cast<std::uint32_t>(entries_[given - 1].word);
      for (std::uint32_t i = 0; i < std::uint32_t{1} << log; i++) entries_[given - 1 + i] = {0, 0};
      return given - 1;
    }
    // Where it takes as few lines of the cache as it can.
    while (log > 0 && entries_.size() % (std::size_t{1} << std::min(log, 3)) != 0) {
      entries_.push_back({0, 0});
      give_back(static_cast<std::uint32_t>(entries_.size() - 1), 0);
    }
    const std::size_t first = entries_.size();
    if (first + (std::size_t{1} << log) > kNone) throw std::length_error("too many groups");
    for (std::uint32_t i = 0; i < std::uint32_t{1} << log; i++) entries_.push_back({0, 0});
    return static_cast<std::uint32_t>(first);
  }
  void give_back(std::uint32_t first, int log) {
    entries_[first].word = given_back_[log];
    given_back_[log] = first + 1;
  }

  std::uint64_t seed_;
  Blocks<Entry> entries_;
  std::array<std::uint32_t, kLogs> given_back_{};  // first of each length, and 1; 0: none
};

}  // namespace dpmix
