// Per class: how many rows lie in each bin, whatever the bins are: of distances, clusters, cells.
//
// Each row is in one bin of one class, or missing. Exact, mergeable, equal for any order of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dpmix {

struct BinCounts {
  int classes = 0, bins = 0;         // both 0: blank, no row was seen yet
  std::vector<std::int64_t> counts;  // class by class

  BinCounts() = default;
  BinCounts(int classes, int bins)
      : classes(classes),
        bins(bins),
        counts(static_cast<std::size_t>(classes) * static_cast<std::size_t>(bins)) {}

  void add(int k, int bin) { ++counts[index(k, bin)]; }
  std::int64_t count(int k, int bin) const { return counts.empty() ? 0 : counts[index(k, bin)]; }

 private:
  std::size_t index(int k, int bin) const {
    return static_cast<std::size_t>(k) * static_cast<std::size_t>(bins) +
           static_cast<std::size_t>(bin);
  }
};

}  // namespace dpmix
