// What is stored of survival curves: the noisy counts of each group, from which all of them come.
#pragma once

#include <span>

#include "core/survival/table.hpp"

namespace dpmix {

constexpr int kMostSurvivalBins = 60;  // more tell less: each adds its noise to all before it
constexpr int kMostEventKinds = 8;
constexpr int kMostSurvivalGroups = 100;

struct SurvivalModel {
  double until = 0;  // the end of the last bin
  // One for each group; all have the same bins and kinds.
  std::vector<SurvivalTable> groups;

  int bins() const { return groups.front().bins; }
  int kinds() const { return groups.front().kinds; }
  double width() const { return until / bins(); }
  // Where curves are as told: the end of a bin; of bins of one time, that time.
  double time(int bin) const { return (bin + (groups.front().one_time ? 0 : 1)) * width(); }

  // The model as numbers, and back. unpack: Error PV005 where they are none.
  std::vector<double> pack() const;
  static SurvivalModel unpack(std::span<const double> packed);
};

}  // namespace dpmix
