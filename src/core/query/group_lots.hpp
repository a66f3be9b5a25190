// How many rows of one privacy unit count in each of its groups.
//
// The law: all rows of the unit are put in a random order. In that order a row counts unless its
// group is not among the first `groups` to turn up, or has `rows_per_group` rows that count, or
// `rows` do in all. Only the groups of the rows matter for how many that are, so it is these that
// are drawn, and of them only such as can still count.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/poll.hpp"
#include "core/query/contribution.hpp"

namespace dpmix {

// Weights whose sum up to any place is known, and which change, in as many steps as the number of
// them has digits (a Fenwick tree).
class WeightedPlaces {
 public:
  void assign(const std::vector<std::uint64_t>& weights) {
    weight_ = weights;
    sums_.assign(weights.size() + 1, 0);
    for (std::size_t i = 0; i < weights.size(); i++) change(i, weights[i]);
    total_ = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  }

  std::uint64_t total() const { return total_; }
  // Where the sum of the weights up to there, and with it, first passes `below` < total().
  std::size_t place(std::uint64_t below) const {
    std::size_t at = 0;
    for (std::size_t step = std::bit_floor(weight_.size()); step > 0; step /= 2) {
      if (at + step <= weight_.size() && sums_[at + step] <= below) {
        at += step;
        below -= sums_[at];
      }
    }
    return at;
  }
  void lower(std::size_t i, std::uint64_t by) {
    weight_[i] -= by;
    total_ -= by;
    change(i, -by);
  }
  void close(std::size_t i) { lower(i, weight_[i]); }

 private:
  void change(std::size_t i, std::uint64_t by) {  // modulo 2^64
    for (i++; i < sums_.size(); i += i & -i) sums_[i] += by;
  }

  std::vector<std::uint64_t> weight_, sums_;
  std::uint64_t total_ = 0;
};

// rows: in each group, all above 0; becomes how many of them count. open: room to work in.
template <class Random>
void draw_lots(const Contribution& most, Random& random, std::vector<std::uint64_t>& rows,
               WeightedPlaces& open) {
  const std::uint64_t per_group = most.rows_per_group, groups = most.groups, all = most.rows;
  std::uint64_t total = 0;
  bool within = rows.size() <= groups;
  for (const std::uint64_t here : rows) {
    total += here;
    within = within && here <= per_group;
  }
  if (within && total <= all) return;
  open.assign(rows);
  std::fill(rows.begin(), rows.end(), 0);
  std::uint64_t kept = 0, begun = 0;
  while (kept < all && open.total() > 0) {
    if (kept % 4096 == 0) poll();
    const std::size_t drawn = open.place(random.below(open.total()));
    open.lower(drawn, 1);
    kept++;
    rows[drawn]++;
    if (rows[drawn] == 1 && ++begun == groups) {
      for (std::size_t i = 0; i < rows.size(); i++) {
        if (rows[i] == 0) open.close(i);
      }
    }
    if (rows[drawn] == per_group) open.close(drawn);
  }
}

}  // namespace dpmix
