// Laplace noise that several statistics of a group have together (noise/box_law.hpp): which of a
// query do, by what law, and what is drawn for one group.
//
// Guaranteed: with k statistics of one part of epsilon, all of them together, over all groups, are
// (that part, 0)-DP. Proof: docs/proofs/box.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/query/noise_problem.hpp"
#include "core/random/box_radius.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// How many: all that may, where that is less noise, of all statistics, than a part of epsilon for
// each (at large epsilon it is not). Else 0. Accountants that count costs charge k parts of epsilon
// a k-th of what they charge all of it: there it is for those who ask for accuracy.
int statistics_in_box(const Problem& problem);
// The law of one statistic of so many in a box; the others have parts of epsilon of their own.
NoiseLaw law_in_box(const Problem& problem, int together, const StatisticShift& shift);

bool is_in_box(const StatisticNoise& noise);

// Draws the noise of all that are in the box. Some may be drawn alone: they have their part of the
// law.
class BoxDraws {
 public:
  struct Part {
    int statistic;
    UInt128 steps;  // a
  };
  BoxDraws(int together, double rate, std::vector<Part> parts);

  // The noise of each part, of one group.
  std::vector<Int128> operator()(RandomStream& random) const;
  std::span<const Part> parts() const { return parts_; }
  double rate() const { return radius_.rate(); }

 private:
  BoxRadius radius_;
  std::vector<Part> parts_;
};

// None: no statistic is in it.
std::optional<BoxDraws> box_draws(std::span<const StatisticNoise> noise);

}  // namespace dpmix
