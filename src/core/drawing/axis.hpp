// Where an axis has its ticks, and what stands at them: round numbers, or round dates and times.
#pragma once

#include <string>
#include <vector>

namespace dpmix {

// What the numbers of a feature are.
enum class AxisUnit {
  number,
  boolean,  // 0 and 1
  date,     // days since 2000-01-01
  time,     // seconds since 2000-01-01 00:00 (UTC)
};

struct Tick {
  double value;
  std::string label;
  std::string below;  // of times of day: the date where it changes
};

struct AxisTicks {
  std::vector<Tick> ticks;
  AxisUnit unit;  // number where no calendar reaches
};

// Ticks in order within [low, high], at most `most`; at least one, if the range holds a double that
// is round. low < high, finite. Labels are ASCII.
AxisTicks axis_ticks(AxisUnit unit, double low, double high, int most = 7);

}  // namespace dpmix
