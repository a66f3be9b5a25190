#include "core/drawing/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/poll.hpp"
#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double plot_height = 200;
constexpr const char* bar_color = "#0072b2";

using Run = BlocksPicture::Run;

std::string share_text(double share) {
  return short_number(std::min(100 * share, 1e9), 3) + "%";
}

class Picture {
 public:
  explicit Picture(const BlocksPicture& picture) : p_(picture) {
    if (!p_.runs.empty()) {
      from_ = p_.runs.front().from;
      to_ = p_.runs.back().to;
    }
    if (!(to_ > from_)) to_ = from_ + 1;
    for (const Run& run : p_.runs) most_ = std::max(most_, run.share);
    top_value_ = 1.1 * std::clamp(most_, 1., 3.);
    area_ = svg_plot(top_value_, plot_height);
    merge();
  }

  std::string draw() {
    const AxisTicks axis = svg_fitting_ticks(p_.unit, from_, to_, area_.width);
    out_ = svg_x_axis(area_, axis, from_, to_,
                      svg_text(p_.column, 40) + (p_.unit == AxisUnit::number ? "" : " (UTC)"));
    out_ += svg_y_axis(area_, top_value_, "share spent");
    out_ += svg_open_area(area_) + "<g shape-rendering=\"crispEdges\">\n";
    for (const Run& run : drawn_) {
      poll();
      bar(run);
    }
    const std::string full = svg_pixels(place_y(1));
    out_ += "</g>\n<path d=\"M0 " + full + "H" + svg_pixels(area_.width) +
            "\" stroke=\"#222\" stroke-width=\"2\" stroke-dasharray=\"7 4\"><title>the budget of "
            "each block</title></path>\n" +
            svg_close_area() + svg_frame(area_);
    return svg_document({"Budgets of the blocks of " + svg_text(p_.relation, 50), spent_text(),
                         spent_text() + ".", note()},
                        out_, svg_below(area_, axis));
  }

 private:
  double place_x(double at) const { return area_.width * (at - from_) / (to_ - from_); }
  double place_y(double share) const {
    return area_.height * (1 - std::min(share / top_value_, 2.));
  }

  void merge() {
    double pixel = -1;
    for (const Run& run : p_.runs) {
      const double begins = std::floor(place_x(run.from)), ends = std::floor(place_x(run.to));
      if (begins == pixel && ends == pixel) {
        Run& last = drawn_.back();
        last.to = run.to;
        if (run.share > last.share) {
          last.share = run.share;
          last.charges = run.charges;
        }
        merged_ = true;
      } else {
        drawn_.push_back(run);
      }
      pixel = ends;
    }
  }

  void bar(const Run& run) {
    const double x = place_x(run.from), y = place_y(run.share);
    out_ += "<rect x=\"" + svg_pixels(x) + "\" y=\"" + svg_pixels(y) + "\" width=\"" +
            svg_pixels(std::max(place_x(run.to) - x, .7)) + "\" height=\"" +
            svg_pixels(area_.height - y) + "\" fill=\"" + bar_color + "\"><title>" +
            share_text(run.share) + " spent, " + count(run.charges) + "</title></rect>\n";
  }

  static std::string count(std::int64_t charges) {
    return std::to_string(charges) + (charges == 1 ? " charge" : " charges");
  }

  std::string spent_text() const {
    return "each has &#949; " + short_number(p_.epsilon, 4) +
           ", &#948; = " + short_number(p_.delta, 3) + " (" + svg_text(p_.accountant) +
           "); spent of one is at most " + share_text(most_) +
           (p_.active ? "" : "; no longer protected");
  }

  std::string note() const {
    std::string text;
    if (p_.runs.empty()) text = "No block was charged yet.";
    if (most_ > 3) text = "Some blocks are above the top of the picture: the budget was lowered.";
    if (merged_) {
      text += (text.empty() ? "" : " ");
      text += "Where blocks are narrower than a pixel, the fullest is drawn.";
    }
    return text;
  }

  const BlocksPicture& p_;
  std::vector<Run> drawn_;
  SvgArea area_{};
  double from_ = 0, to_ = 1, most_ = 0, top_value_ = 1;
  bool merged_ = false;
  std::string out_;
};

}  // namespace

std::string draw_blocks(const BlocksPicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
