#include "core/drawing/page.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace dpmix {
namespace {

constexpr const char* grid = "\" stroke=\"#e4e4e4\"/>\n";

// No wider than its reader's screen. In the dark by what is drawn light: rules of a style sheet come
// before attributes. On a page with several pictures the rules of one hold for all.
constexpr const char* dark =
    "<style>svg[role=img]{max-width:100%;height:auto}"
    "@media screen and (prefers-color-scheme:dark){svg[role=img]{fill:#e4e8eb}"
    "svg[role=img] [fill=\"#fff\"]{fill:#14181b}svg[role=img] [fill=\"#555\"]{fill:#a3aeb8}"
    "svg[role=img] [fill$=ececec]{fill:#2a3238}svg[role=img] [fill$=d8d8d8]{fill:#4a545c}"
    "svg[role=img] [fill$=\"9ecae1\"]{fill:#2f5d7c}"
    "svg[role=img] [fill$=\"0072b2\"]{fill:#3d9bd8}svg[role=img] "
    "[stroke$=\"0072b2\"]{stroke:#3d9bd8}"
    "svg[role=img] [fill$=\"56b4e9\"]{fill:#a6dcf8}svg[role=img] "
    "[stroke$=\"56b4e9\"]{stroke:#a6dcf8}"
    "svg[role=img] [fill$=\"000000\"]{fill:#e4e8eb}svg[role=img] "
    "[stroke$=\"000000\"]{stroke:#e4e8eb}"
    "svg[role=img] :is([stroke=\"#222\"],[stroke=\"#333\"]){stroke:#e4e8eb}"
    "svg[role=img] [stroke=\"#e4e4e4\"]{stroke:#323a41}"
    "svg[role=img] [stroke=\"#fff\"]{stroke:#14181b}}</style>\n";

}  // namespace

std::string svg_pixels(double v) {
  char buffer[64];  // places in a picture are small
  std::string text(buffer,
                   std::to_chars(buffer, std::end(buffer), v, std::chars_format::fixed, 1).ptr);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string svg_text_at(double x, double y, const std::string& text, std::string_view attributes) {
  return "<text x=\"" + svg_pixels(x) + "\" y=\"" + svg_pixels(y) + "\" " +
         std::string(attributes) + ">" + text + "</text>\n";
}

std::string svg_open(double height, const std::string& title, const std::string& subtitle,
                     const std::string& description, double width) {
  const std::string w = svg_pixels(width), h = svg_pixels(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + w + " " + h + "\" width=\"" +
         w + "\" height=\"" + h + "\" role=\"img\" aria-label=\"" + title +
         "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" "
         "fill=\"#222\">\n<title>" +
         title + "</title>\n<desc>" + description + "</desc>\n" + dark +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         svg_text_at(16, 24, title, "font-size=\"15\" font-weight=\"bold\"") +
         svg_text_at(16, 42, subtitle, "fill=\"#555\"");
}

std::string svg_close() {
  return "</svg>\n";
}

std::string svg_note(double x, double y, const std::string& text) {
  return svg_text_at(x, y, text, "font-size=\"11\" fill=\"#555\"");
}

AxisTicks svg_fitting_ticks(AxisUnit unit, double low, double high, double width) {
  AxisTicks axis;
  for (int most = 8; most >= 2; --most) {
    axis = axis_ticks(unit, low, high, most);
    std::size_t longest = 0;
    for (const Tick& tick : axis.ticks) {
      longest = std::max({longest, tick.label.size(), tick.below.size()});
    }
    double least_gap = HUGE_VAL;
    for (std::size_t i = 1; i < axis.ticks.size(); ++i) {
      least_gap = std::min(least_gap, axis.ticks[i].value - axis.ticks[i - 1].value);
    }
    if (width * (least_gap / (high - low)) >= 6.2 * static_cast<double>(longest) + 8) break;
  }
  return axis;
}

std::string svg_x_axis(const SvgArea& area, const AxisTicks& axis, double low, double high,
                       const std::string& name) {
  std::string out;
  const double bottom = area.top + area.height;
  constexpr const char* label = "text-anchor=\"middle\" font-size=\"11\"";
  for (const Tick& tick : axis.ticks) {
    const double at = area.left + area.width * ((tick.value - low) / (high - low));
    out += "<path d=\"M" + svg_pixels(at) + " " + svg_pixels(area.top) + "V" + svg_pixels(bottom) +
           grid + svg_text_at(at, bottom + 16, tick.label, label);
    if (!tick.below.empty()) out += svg_text_at(at, bottom + 29, tick.below, label);
  }
  if (name.empty()) return out;
  return out + svg_text_at(area.left + area.width / 2, bottom + 48, name, "text-anchor=\"middle\"");
}

std::string svg_y_axis(const SvgArea& area, double high, const std::string& name) {
  std::string out;
  for (const Tick& tick : axis_ticks(AxisUnit::number, 0, high, 7).ticks) {
    const double at = area.top + area.height * (1 - tick.value / high);
    out += "<path d=\"M" + svg_pixels(area.left) + " " + svg_pixels(at) + "h" +
           svg_pixels(area.width) + grid +
           svg_text_at(area.left - 6, at + 4, tick.label, "text-anchor=\"end\" font-size=\"11\"");
  }
  const double middle = area.top + area.height / 2;
  return out + svg_text_at(18, middle, name,
                           "text-anchor=\"middle\" transform=\"rotate(-90 18 " +
                               svg_pixels(middle) + ")\"");
}

std::string svg_frame(const SvgArea& area) {
  return "<path d=\"M" + svg_pixels(area.left) + " " + svg_pixels(area.top) + "v" +
         svg_pixels(area.height) + "h" + svg_pixels(area.width) +
         "\" fill=\"none\" stroke=\"#333\"/>\n";
}

std::string svg_open_area(const SvgArea& area) {
  return "<svg x=\"" + svg_pixels(area.left) + "\" y=\"" + svg_pixels(area.top) + "\" width=\"" +
         svg_pixels(area.width) + "\" height=\"" + svg_pixels(area.height) +
         "\" overflow=\"hidden\">\n";
}

}  // namespace dpmix
