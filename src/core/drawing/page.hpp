// What all pictures have in common: their width, head, palette, axes, legend and remarks. All texts
// that enter are XML already (svg_text); all that leaves is ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/drawing/axis.hpp"

namespace dpmix {

// Units of every picture. A screen that shows all of them on 400 pixels has letters of 11 pixels
// and more; one with room enough shows them on 540.
constexpr double svg_width = 420;
constexpr double svg_margin = 16;   // left and right of what is drawn
constexpr double svg_letter = 6.4;  // of an average letter, in the picture's type

// Okabe and Ito's palette without its yellow, too pale for a line on white: told apart by the
// colour-blind too.
constexpr const char* svg_colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};

struct SvgArea {
  double left, top, width, height;
};

std::string svg_pixels(double v);
std::string svg_text_at(double x, double y, const std::string& text,
                        std::string_view attributes = "");
// Text in small type, the smallest that there is.
std::string svg_small_at(double x, double y, const std::string& text,
                         std::string_view attributes = "");

// A whole picture, light or dark as its reader prefers: title and subtitle, then the body, whose
// origin is below them, then a remark. Long texts are broken into lines. A screen reader reads the
// description.
struct SvgTexts {
  std::string title, subtitle, description, remark = {};
};
std::string svg_document(const SvgTexts& texts, const std::string& body, double height);

// What marks mean, in as many columns as its texts leave room for.
struct SvgKey {
  std::string mark;        // drawn from 0 to 28 across, around 0 down
  std::string text;        // beside it
  std::string below = {};  // in small type; of all keys or none
  std::string hover = {};
};
struct SvgLegend {
  std::string drawing;
  double height;
};
SvgLegend svg_legend(const std::vector<SvgKey>& keys, double top);
// Marks: a bar of that colour, a line with these attributes.
std::string svg_bar_mark(std::string_view fill);
std::string svg_line_mark(std::string_view attributes);

// Ticks of an axis of this width in pixels, as many as their labels leave room for. low < high,
// finite.
AxisTicks svg_fitting_ticks(AxisUnit unit, double low, double high, double width);

// Grid lines and labels: below the area, or left of it from 0 up to `high`, with the name above;
// then its frame, to be drawn over what the area holds.
std::string svg_x_axis(const SvgArea& area, const AxisTicks& axis, double low, double high,
                       const std::string& name);
std::string svg_y_axis(const SvgArea& area, double high, const std::string& name);
std::string svg_frame(const SvgArea& area);

// The area of a plot with both axes, at the top of a body: as wide as the labels leave room for.
// What is below its x axis begins at svg_below(area).
SvgArea svg_plot(double high, double height);
double svg_below(const SvgArea& area, const AxisTicks& x_axis);

// A document within the document: it cuts off what leaves it, without an id that another picture on
// the same page could have too. Its origin is the area's upper left corner.
std::string svg_open_area(const SvgArea& area);
std::string svg_close_area();

}  // namespace dpmix
