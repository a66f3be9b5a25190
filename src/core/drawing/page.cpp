#include "core/drawing/page.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double svg_small_letter = 6.2;  // likewise, in small type
constexpr const char* grid = "\" stroke=\"#e4e4e4\"/>\n";

// No wider than its reader's screen. In the dark by what is drawn light: rules of a style sheet
// come before attributes. On a page with several pictures the rules of one hold for all.
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

// Whether ticks have dates below their labels.
bool has_dates(const AxisTicks& axis) {
  return std::any_of(axis.ticks.begin(), axis.ticks.end(),
                     [](const Tick& tick) { return !tick.below.empty(); });
}

// The ticks of the y axis, from 0 on.
std::vector<Tick> y_ticks(double high) {
  return axis_ticks(AxisUnit::number, 0, high, 7).ticks;
}

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

std::string svg_small_at(double x, double y, const std::string& text, std::string_view attributes) {
  return svg_text_at(x, y, text, "font-size=\"11.5\" " + std::string(attributes));
}

std::string svg_document(const SvgTexts& texts, const std::string& body, double height) {
  double y = 24;
  std::string head, foot;
  const auto lines = [&](std::string& out, const std::string& text, double letter, double step,
                         const char* style) {
    for (const std::string& line : svg_lines(text, (svg_width - 2 * svg_margin) / letter)) {
      out += svg_text_at(svg_margin, y, line, style);
      y += step;
    }
  };
  lines(head, texts.title, 8, 19, "font-size=\"15\" font-weight=\"bold\"");
  lines(head, texts.subtitle, 5.9, 16, "fill=\"#555\"");
  const double top = y;
  y += height + 14;
  lines(foot, texts.remark, 5.6, 15, "font-size=\"11.5\" fill=\"#555\"");
  const double shown = 540 / svg_width;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + svg_pixels(svg_width) + " " +
         svg_pixels(y) + "\" width=\"" + svg_pixels(shown * svg_width) + "\" height=\"" +
         svg_pixels(shown * y) + "\" role=\"img\" aria-label=\"" + texts.title +
         "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" "
         "fill=\"#222\">\n<title>" +
         texts.title + "</title>\n<desc>" + texts.description + "</desc>\n" + dark +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + head +
         "<g transform=\"translate(0 " + svg_pixels(top) + ")\">\n" + body + "</g>\n" + foot +
         "</svg>\n";
}

std::string svg_bar_mark(std::string_view fill) {
  std::string mark = "<rect y=\"-6\" width=\"28\" height=\"12\" fill=\"";
  mark += fill;
  return mark += "\"/>";
}

std::string svg_line_mark(std::string_view attributes) {
  std::string mark = "<path d=\"M0 0h28\" ";
  mark += attributes;
  return mark += "/>";
}

SvgLegend svg_legend(const std::vector<SvgKey>& keys, double top) {
  constexpr double text_left = 35, gap = 14;
  const double row_height = !keys.empty() && !keys.front().below.empty() ? 34 : 19;
  double widest = 0;
  for (const SvgKey& key : keys) {
    widest = std::max(
        {widest, 6 * svg_line_width(key.text), svg_small_letter * svg_line_width(key.below)});
  }
  const double room = svg_width - 2 * svg_margin + gap;
  const double most = std::clamp(std::floor(room / (text_left + widest + gap)), 1., 3.);
  const auto columns = static_cast<std::size_t>(most);
  const std::size_t rows = (keys.size() + columns - 1) / columns;
  SvgLegend legend{"", row_height * static_cast<double>(rows)};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const SvgKey& key = keys[i];
    const double x = svg_margin + room / most * static_cast<double>(i / rows);
    const double y = top + 9 + row_height * static_cast<double>(i % rows);
    const std::string hover = key.hover.empty() ? "" : "<title>" + key.hover + "</title>";
    legend.drawing += "<g transform=\"translate(" + svg_pixels(x) + " " + svg_pixels(y) + ")\">" +
                      key.mark + svg_text_at(text_left, 4, key.text + hover);
    if (!key.below.empty()) {
      legend.drawing += svg_small_at(text_left, 18, key.below, "fill=\"#555\"");
    }
    legend.drawing += "</g>\n";
  }
  return legend;
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
  const auto label = [&](double at, double down, const std::string& text) {
    const double half = svg_small_letter * static_cast<double>(text.size()) / 2 + 3;
    return svg_small_at(std::clamp(at, half, svg_width - half), bottom + down, text,
                        "text-anchor=\"middle\"");
  };
  for (const Tick& tick : axis.ticks) {
    const double at = area.left + area.width * ((tick.value - low) / (high - low));
    out += "<path d=\"M" + svg_pixels(at) + " " + svg_pixels(area.top) + "V" + svg_pixels(bottom) +
           grid + label(at, 16, tick.label);
    if (!tick.below.empty()) out += label(at, 30, tick.below);
  }
  if (name.empty()) return out;
  return out + svg_text_at(area.left + area.width / 2, bottom + (has_dates(axis) ? 47 : 34), name,
                           "text-anchor=\"middle\"");
}

std::string svg_y_axis(const SvgArea& area, double high, const std::string& name) {
  std::string out;
  for (const Tick& tick : y_ticks(high)) {
    const double at = area.top + area.height * (1 - tick.value / high);
    out += "<path d=\"M" + svg_pixels(area.left) + " " + svg_pixels(at) + "h" +
           svg_pixels(area.width) + grid +
           svg_small_at(area.left - 6, at + 4, tick.label, "text-anchor=\"end\"");
  }
  return out + svg_text_at(svg_margin, area.top - 10, name);
}

SvgArea svg_plot(double high, double height) {
  std::size_t longest = 1;
  for (const Tick& tick : y_ticks(high)) longest = std::max(longest, tick.label.size());
  const double left = svg_margin + svg_small_letter * static_cast<double>(longest) + 6;
  return {left, 22, svg_width - left - svg_margin, height};
}

double svg_below(const SvgArea& area, const AxisTicks& axis) {
  return area.top + area.height + (has_dates(axis) ? 60 : 47);
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

std::string svg_close_area() {
  return "</svg>\n";
}

}  // namespace dpmix
