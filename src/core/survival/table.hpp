// What is released of a group of people who are followed over time: how many left, in which bin of
// time, and how. Counts are noisy, and never cut: a negative one is as good as any.
#pragma once

#include <cstddef>
#include <vector>

namespace dpmix {

struct SurvivalTable {
  int bins = 0;   // of time; one more place is for those who were followed to the end
  int kinds = 1;  // of events
  // Counts of each bin, then of the last place: who was censored, then events of each kind.
  std::vector<double> cell;
  double stddev = 0;  // of the noise in each, which is normal and independent
  // Each bin is of one time, at which events come before censorings.
  bool one_time = false;

  double at(int bin, int kind) const {
    return cell[static_cast<std::size_t>(bin * (kinds + 1) + kind)];
  }
  double censored(int bin) const { return at(bin, 0); }
  double events(int bin) const;  // of all kinds
};

// People who are still followed at the begin of each bin, and at the end of the last, and the
// deviation of the noise in their number.
struct AtRisk {
  std::vector<double> people, stddev;
};
AtRisk at_risk(const SurvivalTable& table);

// Bins at the end of which at least three deviations of people are left, and that many were left in
// all before: beyond, a curve would be a quotient of noise.
int told_bins(const SurvivalTable& table);

}  // namespace dpmix
