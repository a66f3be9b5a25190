// An estimated curve as people expect one: never above 1 or below 0, and never rising.
#pragma once

#include "core/survival/bands.hpp"

namespace dpmix {

// Half way between the highest such curve that the estimates do not pass, and the lowest that does
// not pass them. It stays within the band. rises: of a curve that never falls.
std::vector<double> drawn_curve(const Band& band, bool rises = false);

}  // namespace dpmix
