// Intervals of what is a ratio of two linear forms of noisy statistics: percentages, weighted
// means, sums of one thing for one of another, differences.
//
// Enters: the forms, the released statistics, and how far their noise reaches, made once before the
// charge. Leaves: an interval that holds the ratio of the exact statistics with the level asked,
// and always the released one. Where the divisor is within its noise of 0 that is every number.
// The law of one combination of noises decides (Fieller's method), not each noise on its own.
// Nothing here reads data. Proof: docs/proofs/query_ratios.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/query/answers.hpp"
#include "core/query/family_noise.hpp"

namespace dpmix {

struct LinearForm {
  double constant = 0;
  std::vector<double> factor = {};  // of each statistic, in lattice steps; missing ones are 0
  double slack = 0;                 // what is computed may be this far from the form

  bool is_constant() const;  // without slack
};
LinearForm one_statistic(int statistic, double factor);
LinearForm operator*(const LinearForm& form, double by);
LinearForm operator+(const LinearForm& a, const LinearForm& b);

struct RatioForm {
  LinearForm above, below;
};
RatioForm constant_ratio(double value);
// Absent: it is no ratio of linear forms.
std::optional<RatioForm> sum_of(const RatioForm& a, const RatioForm& b);
std::optional<RatioForm> product_of(const RatioForm& a, const RatioForm& b);
std::optional<RatioForm> quotient_of(const RatioForm& a, const RatioForm& b);

struct StatisticReach {
  double deviation = 0;  // of the part that is normal
  double rest = 0;       // what is not normal, at most
  int together = -1;     // statistics of one number may share noise; -1: independent of all others
};
struct RatioReach {
  double deviations = 0;           // that a normal number stays within
  std::vector<StatisticReach> of;  // each statistic
};
// The reach of the noise of the statistics in a form. 0 < level < 1, else Error PV005.
RatioReach ratio_reach(const RatioForm& form, std::span<const StatisticNoise> noise, double level);
// The same where each statistic stays within reach(statistic, parts) with (1 - level) / parts.
template <class Reach>
RatioReach ratio_reach_by(const RatioForm& form, const Reach& reach);

// noisy: of each statistic. slack: of each, added to its reach; empty: none.
NoiseInterval ratio_interval(const RatioForm& form, std::span<const Int128> noisy,
                             const RatioReach& reach, std::span<const double> slack = {});

// How many statistics a ratio is made of.
int statistics_in(const RatioForm& form);
double factor_of(const LinearForm& form, std::size_t statistic);

template <class Reach>
RatioReach ratio_reach_by(const RatioForm& form, const Reach& reach) {
  RatioReach made;
  const int parts = statistics_in(form);
  made.of.resize(std::max(form.above.factor.size(), form.below.factor.size()));
  for (std::size_t i = 0; i < made.of.size(); ++i) {
    if (factor_of(form.above, i) != 0 || factor_of(form.below, i) != 0) {
      made.of[i].rest = reach(static_cast<int>(i), parts);
    }
  }
  return made;
}

}  // namespace dpmix
