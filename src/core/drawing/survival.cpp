#include "core/drawing/survival.hpp"

#include <algorithm>
#include <cmath>

#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr std::size_t kMostCurves = 6;
constexpr double kHeight = 240;

class Picture {
 public:
  explicit Picture(const SurvivalPicture& picture)
      : p_(picture),
        curves_(std::min(picture.curves.size(), kMostCurves)),
        area_(svg_plot(1, kHeight)) {}

  std::string draw() {
    const AxisTicks ticks = svg_fitting_ticks(AxisUnit::number, 0, p_.until, area_.width);
    std::string body = svg_x_axis(area_, ticks, 0, p_.until, svg_text(p_.time, 50)) +
                       svg_y_axis(area_, 1, "share without an event") + svg_open_area(area_);
    for (std::size_t i = 0; i < curves_; ++i) body += band(i, false) + band(i, true);
    for (std::size_t i = 0; i < curves_; ++i) body += line(i);
    const double below = svg_below(area_, ticks);
    const SvgLegend keys = legend(below);
    body += svg_close_area() + svg_frame(area_) + keys.drawing;
    return svg_document({"Survival until " + svg_text(p_.event, 56),
                         "private curves " + svg_text(p_.release, 80), description(), remark()},
                        body, below + keys.height);
  }

 private:
  using Point = SurvivalPicture::Point;

  const std::vector<Point>& points(std::size_t i) const { return p_.curves[i].points; }
  std::string x(double time) const { return svg_pixels(area_.width * time / p_.until); }
  std::string y(double share) const { return svg_pixels(area_.height * (1 - share)); }

  // Continues a path from time 0 on, in steps to the height at each point.
  template <class Height>
  std::string steps(std::size_t i, const Height& height) const {
    std::string path;
    for (const Point& point : points(i)) {
      path += "H" + x(point.time) + "V" + y(height(point));
    }
    return path;
  }

  std::string band(std::size_t i, bool noise) const {
    if (points(i).empty()) return "";
    const auto high = [noise](const Point& p) { return noise ? p.noise_high : p.high; };
    const auto low = [noise](const Point& p) { return noise ? p.noise_low : p.low; };
    std::string back;
    for (std::size_t k = points(i).size(); k-- > 0;) {
      back += "V" + y(low(points(i)[k])) + "H" + x(points(i)[k].time);
    }
    return "<path d=\"M0 " + y(1) + steps(i, high) + back + "V" + y(1) + "Z\" fill=\"" +
           svg_colors[i] + "\" fill-opacity=\"" + (noise ? ".22" : ".13") + "\"/>\n";
  }

  std::string line(std::size_t i) const {
    return "<path d=\"M0 " + y(1) + steps(i, [](const Point& p) { return p.left; }) +
           "\" fill=\"none\" stroke=\"" + svg_colors[i] + "\" stroke-width=\"2\"><title>" +
           name(i, 200) + "</title></path>\n";
  }

  std::string name(std::size_t i, std::size_t letters) const {
    const std::string& name = p_.curves[i].name;
    return name.empty() ? "everybody" : svg_text(name, letters);
  }

  SvgLegend legend(double below) const {
    double top = below;
    std::string of;
    if (!p_.by.empty()) {
      of = svg_text_at(svg_margin, top + 13, svg_text(p_.by, 50), "font-weight=\"bold\"");
      top += 20;
    }
    std::vector<SvgKey> keys;
    for (std::size_t i = 0; i < curves_; ++i) {
      const std::string stroke =
          " stroke=\"" + std::string(svg_colors[i]) + "\" stroke-width=\"2\"";
      keys.push_back({svg_line_mark(stroke), name(i, 23), ""});
    }
    SvgLegend legend = svg_legend(keys, top);
    return {of + legend.drawing, legend.height + top - below};
  }

  std::string description() const {
    std::string all;
    for (std::size_t i = 0; i < curves_; ++i) {
      all += (i > 0 ? "; " : "") + name(i, 50) + ": ";
      all += points(i).empty() ? "nothing is told"
                               : short_number(points(i).back().left, 3) + " at " +
                                     short_number(points(i).back().time, 6);
    }
    return all;
  }

  std::string remark() const {
    std::string remark = "bands: the population; dark: privacy noise alone";
    if (p_.curves.size() > curves_) {
      remark += "; " + std::to_string(p_.curves.size() - curves_) + " more groups are not drawn";
    }
    return remark;
  }

  const SurvivalPicture& p_;
  std::size_t curves_;
  SvgArea area_;
};

}  // namespace

std::string draw_survival(const SurvivalPicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
