// How far an interval of a normal estimate reaches.
#pragma once

namespace dpmix {

// The z with P(|N| <= z) = level, to a few digits below double; 0 < level < 1.
double normal_reach(double level);

}  // namespace dpmix
