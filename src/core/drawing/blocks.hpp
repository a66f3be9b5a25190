// A picture of the budgets of a growing table's blocks: how much of each is spent, as a standalone
// SVG document in ASCII. Of charges alone, so of nothing that is private.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/drawing/axis.hpp"

namespace dpmix {

struct BlocksPicture {
  struct Run {        // blocks that have spent the same
    double from, to;  // where they begin and end, in the unit
    double share;     // of what the accountant allows: 1 is all
    std::int64_t charges;
  };
  std::string relation, column, accountant;
  AxisUnit unit = AxisUnit::number;
  double epsilon = 0, delta = 0;  // the budget of each
  std::vector<Run> runs;          // in order, apart
  bool active = true;             // still protected
};

// Runs that share a pixel are drawn as one, as full as the fullest.
std::string draw_blocks(const BlocksPicture& picture);

}  // namespace dpmix
