#include "core/drawing/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/poll.hpp"
#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr int most_curves = 20, grid_points = 400;
constexpr double plot_height = 240;
constexpr double least_seen = 8;  // the highest peak shown in full, in lowest peaks

constexpr const char* dashes[] = {"", " stroke-dasharray=\"8 3\"", " stroke-dasharray=\"2 3\""};

std::string stroke(std::size_t curve) {
  return " stroke=\"" + std::string(svg_colors[curve % std::size(svg_colors)]) +
         "\" stroke-width=\"2\"" + dashes[curve / std::size(svg_colors) % std::size(dashes)];
}

class Picture {
 public:
  explicit Picture(const MarginalPicture& picture) : p_(picture) {
    choose_curves();
    choose_range();
    choose_top();
    area_ = svg_plot(top_value_, plot_height);
  }

  std::string draw() {
    const double below = svg_below(area_, axes());
    plot();
    const SvgLegend keys = legend(below);
    return svg_document({"Marginal density of " + svg_text(p_.feature, 56),
                         "private mixture " + svg_text(p_.model, 80), description(), note()},
                        out_ + keys.drawing, below + keys.height);
  }

 private:
  // The heaviest, in the order of components.
  void choose_curves() {
    curves_.resize(p_.components.size());
    std::iota(curves_.begin(), curves_.end(), std::size_t{0});
    if (curves_.size() <= most_curves) return;
    std::stable_sort(curves_.begin(), curves_.end(), [&](std::size_t a, std::size_t b) {
      return p_.components[a].weight > p_.components[b].weight;
    });
    curves_.resize(most_curves);
    std::sort(curves_.begin(), curves_.end());
  }

  void choose_range() {
    range_ = p_.unit == AxisUnit::boolean ? MarginalRange{0, 1}
                                          : marginal_range(p_.components, p_.lower, p_.upper);
    if (p_.unit == AxisUnit::date && range_.high - range_.low < 2) {  // days: no parts of one
      range_ = {std::floor(range_.low) - 1, std::ceil(range_.high) + 1};
    }
    grid_ = marginal_grid(range_, grid_points);
  }

  double peak(std::size_t k) const {
    const MarginalComponent& c = p_.components[k];
    return c.density(std::clamp(c.mean, range_.low, range_.high));
  }

  void choose_top() {
    const double heavy = .5 / static_cast<double>(p_.components.size());
    double lowest = HUGE_VAL, highest = 0;
    for (std::size_t k = 0; k < p_.components.size(); ++k) {
      highest = std::max(highest, peak(k));
      if (p_.components[k].weight >= heavy) lowest = std::min(lowest, peak(k));
    }
    for (const double x : total_points()) highest = std::max(highest, total(x));
    cut_ = highest > least_seen * lowest;
    top_value_ = 1.04 * (cut_ ? least_seen * lowest : highest);
  }

  double total(double x) const {
    double sum = 0;
    for (const MarginalComponent& c : p_.components) sum += c.density(x);
    return sum;
  }

  // The grid alone would miss what is narrower than its step.
  void add_points(std::size_t k, std::vector<double>& x) const {
    const MarginalComponent& c = p_.components[k];
    for (int i = -16; i <= 16; ++i) {
      const double at = c.mean + i * c.deviation / 4;
      if (at > range_.low && at < range_.high) x.push_back(at);
    }
  }

  std::vector<double> total_points() const {
    std::vector<double> x = grid_;
    for (std::size_t k : curves_) add_points(k, x);
    std::sort(x.begin(), x.end());
    return x;
  }

  double place_x(double x) const {
    return area_.width * (x - range_.low) / (range_.high - range_.low);
  }
  // Far above the plot is far enough.
  double place_y(double y) const { return area_.height * (1 - std::min(y / top_value_, 20.)); }

  template <class Density>
  std::string path(const std::vector<double>& x, Density density) const {
    std::string path, before, here;
    std::string y_before, y_last;
    for (const double at : x) {
      const std::string y = svg_pixels(place_y(density(at)));
      here = svg_pixels(place_x(at)) + " " + y;
      // A line of equal heights needs its ends alone.
      if (!path.empty() && y == y_last && y == y_before) {
        before = here;
        continue;
      }
      if (!before.empty()) path += "L" + before;
      before.clear();
      path += (path.empty() ? "M" : "L") + here;
      y_before = y_last;
      y_last = y;
    }
    return before.empty() ? path : path + "L" + before;
  }

  AxisTicks axes() {
    AxisTicks x = svg_fitting_ticks(p_.unit, range_.low, range_.high, area_.width);
    const char* per[] = {"density", "density", "density per day", "density per second"};
    const char* unit[] = {"", "", "", " (UTC)"};
    const auto index = static_cast<std::size_t>(p_.unit);
    const bool uncharted = x.unit != p_.unit;  // no calendar reaches there
    const std::string since =
        p_.unit == AxisUnit::date ? " (days since 2000-01-01)" : " (seconds since 2000-01-01)";
    out_ += svg_x_axis(area_, x, range_.low, range_.high,
                       svg_text(p_.feature, 50) + (uncharted ? since : unit[index]));
    out_ += svg_y_axis(area_, top_value_, per[index]);
    return x;
  }

  void plot() {
    out_ += svg_open_area(area_);
    poll();
    const std::string base = svg_pixels(area_.height);
    const std::string area = path(total_points(), [&](double x) { return total(x); });
    out_ += "<path d=\"" + area + "V" + base + "H0Z\" fill=\"#ececec\"><title>all components" +
            "</title></path>\n";
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      poll();
      const std::size_t k = curves_[i];
      std::vector<double> x = grid_;
      add_points(k, x);
      std::sort(x.begin(), x.end());
      const std::string curve = path(x, [&](double at) { return p_.components[k].density(at); });
      out_ += "<path d=\"" + curve + "\" fill=\"none\"" + stroke(i) +
              " stroke-linejoin=\"round\"><title>" + details(k) + "</title></path>\n";
    }
    out_ += svg_close_area() + svg_frame(area_);
  }

  std::string details(std::size_t k) const {
    const MarginalComponent& c = p_.components[k];
    return svg_text(p_.names[k], 200) + ": weight " + short_number(c.weight, 3) +
           ", standard deviation " + short_number(c.deviation, 3) + ", peak " +
           short_number(peak(k), 3);
  }

  SvgLegend legend(double below) const {
    double top = below;
    std::string of;
    if (!p_.label.empty()) {
      of = svg_text_at(svg_margin, top + 13, svg_text(p_.label, 50), "font-weight=\"bold\"");
      top += 20;
    }
    std::vector<SvgKey> keys;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const std::size_t k = curves_[i];
      keys.push_back({svg_line_mark(stroke(i)), svg_text(p_.names[k], 23), "", details(k)});
    }
    const std::size_t others = p_.components.size() - curves_.size();
    keys.push_back(
        {"<rect y=\"-5\" width=\"28\" height=\"10\" fill=\"#ececec\" stroke=\"#bbb\"/>",
         others == 0 ? "together" : "together, " + std::to_string(others) + " lighter too", "",
         "all components together"});
    SvgLegend legend = svg_legend(keys, top);
    return {of + legend.drawing, legend.height + top - below};
  }

  std::string note() const {
    if (!cut_) return "";
    std::vector<std::size_t> above;
    for (const std::size_t k : curves_) {
      if (peak(k) > top_value_) above.push_back(k);
    }
    if (above.empty()) return "What all components add up to is cut off at the top.";
    std::string names;
    for (std::size_t i = 0; i < above.size() && i < 3; ++i) {
      names += (i > 0 ? ", " : " ") + svg_text(p_.names[above[i]], 16) + " (peak " +
               short_number(peak(above[i]), 3) + ")";
    }
    if (above.size() > 3) names += " and " + std::to_string(above.size() - 3) + " more";
    return "Cut off at the top:" + names;
  }

  std::string description() const {
    std::string text = "Density of each component over " + svg_text(p_.feature, 200) +
                       ", weighted, from " + std::to_string(p_.components.size()) + " components: ";
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      text += (i > 0 ? ", " : "") + svg_text(p_.names[curves_[i]], 200);
    }
    return text + ". All components together as a grey area.";
  }

  const MarginalPicture& p_;
  std::vector<std::size_t> curves_;
  std::vector<double> grid_;
  MarginalRange range_{};
  SvgArea area_{};
  double top_value_ = 0;
  bool cut_ = false;
  std::string out_;
};

}  // namespace

std::string draw_marginal(const MarginalPicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
