// Text from anywhere, as the content or an attribute of XML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpmix {

// Enters: UTF-8, or any bytes at all. Leaves: printable ASCII, so that it is well-formed in every
// encoding: &, <, >, quotes and everything beyond ASCII as character references; white space as a
// space; what XML 1.0 does not know, and bytes that are no UTF-8, as U+FFFD. At most about `width`
// average letters wide: what is longer ends in an ellipsis.
std::string svg_text(std::string_view text, double width = 1e9);

// How wide it is in such letters, at most `most`.
double svg_text_width(std::string_view text, double most);

// XML text that svg_text() made, broken into lines of at most `width` such letters, at spaces where
// it has them. Nothing of an empty text.
std::vector<std::string> svg_lines(std::string_view xml, double width);
double svg_line_width(std::string_view xml);  // in one line

// A number as short as reads well: 0.25, 1200, 1e-7; at most so many significant digits.
std::string short_number(double value, int digits = 6);

}  // namespace dpmix
