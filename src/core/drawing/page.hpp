// What all pictures have in common: their width, head, palette, axes and notes. All texts that
// enter are XML already (svg_text); all that leaves is ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/drawing/axis.hpp"

namespace dpmix {

constexpr double svg_width = 760;  // of every picture, in pixels
constexpr double svg_top = 62;     // where the plot begins, below the head

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

// The beginning of a document: it, its background, title and subtitle, and the description that a
// screen reader reads; light or dark as its reader prefers. svg_close ends it.
std::string svg_open(double height, const std::string& title, const std::string& subtitle,
                     const std::string& description, double width = svg_width);
std::string svg_close();
// A remark in small type.
std::string svg_note(double x, double y, const std::string& text);

// As many ticks as their labels leave room for along so many pixels. low < high, finite.
AxisTicks svg_fitting_ticks(AxisUnit unit, double low, double high, double width);

// Grid lines and labels: below the area, or left of it from 0 up to `high`; then its frame, to be
// drawn over what the area holds.
std::string svg_x_axis(const SvgArea& area, const AxisTicks& axis, double low, double high,
                       const std::string& name);
std::string svg_y_axis(const SvgArea& area, double high, const std::string& name);
std::string svg_frame(const SvgArea& area);

// A document within the document: it cuts off what leaves it, without an id that another picture on
// the same page could have too. Its origin is the area's upper left corner.
std::string svg_open_area(const SvgArea& area);

}  // namespace dpmix
