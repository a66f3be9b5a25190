// A picture of one feature of a mixture: the density of each class, as a standalone SVG document
// in ASCII. Post-processing.
#pragma once

#include <string>
#include <vector>

#include "core/drawing/axis.hpp"
#include "core/mixture/marginal.hpp"

namespace dpmix {

struct MarginalPicture {
  std::string model, feature;      // UTF-8, or any bytes
  std::string label;               // what the names are of, likewise; empty: nothing
  std::vector<std::string> names;  // one for each component, likewise
  AxisUnit unit = AxisUnit::number;
  double lower = 0, upper = 1;                // the feature's bounds; lower < upper
  std::vector<MarginalComponent> components;  // one or more, of positive weight and deviation
};

// Curves of the at most 20 heaviest components, told apart by colours that the colour-blind tell
// apart too and by dashes; all components together as a grey area; the axis in dates or times
// where the feature is one. A component so narrow that the others could not be seen beside it is
// cut off at the top, and a note says so.
std::string draw_marginal(const MarginalPicture& picture);

}  // namespace dpmix
