// A page of pictures, for whoever may see them: one file that a browser opens, without a script or
// anything from elsewhere. On a narrow screen they are below each other, and none is wider.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dpmix {

// Enters: a title (anything) and SVG documents (any bytes: what is no drawing is not shown).
std::string dashboard_page(std::string_view title, std::span<const std::string_view> pictures);

}  // namespace dpmix
