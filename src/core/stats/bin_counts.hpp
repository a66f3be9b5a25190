// How many rows of each class are in each bin, whatever bins are: of distances, clusters, cells.
//
// Each row is in one bin of one class, or missing. Exact, mergeable, equal for any order of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dpmix {

struct BinCounts {
  static constexpr std::int64_t max_counts = 1 << 20;  // classes * bins

  int classes = 0, bins = 0;         // both 0: blank, no row was seen yet
  std::vector<std::int64_t> counts;  // class by class
  std::uint64_t frame = 0;           // fingerprint of what placed the rows

  BinCounts() = default;
  BinCounts(int classes, int bins, std::uint64_t frame = 0)
      : classes(classes),
        bins(bins),
        counts(static_cast<std::size_t>(classes) * static_cast<std::size_t>(bins)),
        frame(frame) {}

  void add(int k, int bin) { ++counts[index(k, bin)]; }
  std::int64_t count(int k, int bin) const { return counts.empty() ? 0 : counts[index(k, bin)]; }

  // 1 to MomentFrame::max_classes classes, at least one bin, at most max_counts counts.
  static bool valid_size(int classes, int bins);
  // Whether it has a valid size and counts that rows can make: plausible_counts().
  bool plausible() const;
  // (classes,bins,frame){counts}; () when blank. Exact.
  std::string to_text() const;
  static std::optional<BinCounts> from_text(std::string_view text);

 private:
  std::size_t index(int k, int bin) const {
    return static_cast<std::size_t>(k) * static_cast<std::size_t>(bins) +
           static_cast<std::size_t>(bin);
  }
};

// None negative, and 2^62 rows at most in all.
bool plausible_counts(std::span<const std::int64_t> counts);
// Adds counts of the same bins. False (and no change) unless the sums are plausible.
bool add_counts(std::span<std::int64_t> mine, std::span<const std::int64_t> theirs);

}  // namespace dpmix
