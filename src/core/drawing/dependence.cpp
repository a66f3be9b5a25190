#include "core/drawing/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double least_radius = 120, per_column = 5.5, name_letters = 24, margin = 40;
constexpr double widest = 9, narrowest = .8;

struct Point {
  double x, y;
};

class Picture {
 public:
  explicit Picture(const DependencePicture& picture)
      : p_(picture),
        radius_(least_radius + per_column * static_cast<double>(p_.columns.size())),
        centre_{svg_width / 2, svg_top + margin + radius_} {
    for (const auto& pair : p_.pairs) most_ = std::max(most_, pair.nats);
  }

  std::string draw() const {
    const std::string within =
        p_.label.empty() ? "" : ", within classes of " + svg_text(p_.label, name_letters);
    std::string out =
        svg_open(centre_.y + radius_ + margin + 40, "Tree model " + svg_text(p_.model, 80),
                 "how columns depend on each other" + within, description());
    for (const auto& pair : p_.pairs) out += line(pair);
    for (std::size_t i = 0; i < p_.columns.size(); ++i) out += column(i);
    out += svg_note(24, centre_.y + radius_ + margin + 24,
                    "wider lines: stronger dependence, at most " + short_number(most_, 3) +
                        " nats; dashed: chords; without a line: drawn by itself");
    return out + svg_close();
  }

 private:
  double angle(std::size_t i) const {
    return 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(p_.columns.size()) -
           std::numbers::pi / 2;
  }
  Point at(std::size_t i, double radius) const {
    return {centre_.x + radius * std::cos(angle(i)), centre_.y + radius * std::sin(angle(i))};
  }
  std::string line(const DependencePicture::Pair& pair) const {
    const Point a = at(static_cast<std::size_t>(pair.a), radius_),
                b = at(static_cast<std::size_t>(pair.b), radius_);
    const double share = most_ > 0 ? std::sqrt(pair.nats / most_) : 0;
    return "<line x1=\"" + svg_pixels(a.x) + "\" y1=\"" + svg_pixels(a.y) + "\" x2=\"" +
           svg_pixels(b.x) + "\" y2=\"" + svg_pixels(b.y) + "\" stroke=\"" + svg_colors[0] +
           "\" stroke-opacity=\"0.6\" stroke-width=\"" +
           svg_pixels(std::max(narrowest, widest * share)) + "\"" +
           (pair.chord ? " stroke-dasharray=\"6 4\"" : "") + "/>\n";
  }
  std::string column(std::size_t i) const {
    const Point dot = at(i, radius_), name = at(i, radius_ + 12);
    const double side = std::cos(angle(i));
    const char* anchor = side > .2 ? "start" : side < -.2 ? "end" : "middle";
    const double down = std::sin(angle(i)) > .2 ? 10 : std::sin(angle(i)) < -.2 ? 0 : 4;
    return "<circle cx=\"" + svg_pixels(dot.x) + "\" cy=\"" + svg_pixels(dot.y) +
           "\" r=\"5\" fill=\"" + svg_colors[6] + "\"/>\n" +
           svg_text_at(name.x, name.y + down, svg_text(p_.columns[i], name_letters),
                       std::string("text-anchor=\"") + anchor + "\"");
  }
  std::string description() const {
    std::string text;
    for (const auto& pair : p_.pairs) {
      text += (text.empty() ? "" : "; ") +
              svg_text(p_.columns[static_cast<std::size_t>(pair.a)], name_letters) + " and " +
              svg_text(p_.columns[static_cast<std::size_t>(pair.b)], name_letters) + " " +
              short_number(pair.nats, 3);
    }
    return text.empty() ? "no pairs" : text;
  }

  const DependencePicture& p_;
  double radius_;
  Point centre_;
  double most_ = 0;
};

}  // namespace

std::string draw_dependence(const DependencePicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
