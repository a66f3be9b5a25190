#include "core/drawing/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/poll.hpp"
#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr std::size_t most_columns = 60, most_categories = 30;
constexpr double plot_left = 62, plot_height = 96, first_top = 26, down = 158;
constexpr double letter = 6.2, gap = 8;  // gap: before missing values
constexpr const char *real_color = svg_colors[0], *synthetic_color = svg_colors[4];

std::string percent(double share) {
  return std::isnan(share) ? "unknown" : short_number(100 * share, 3) + "%";
}

struct Bar {
  std::string name;  // UTF-8, or any bytes
  double real, synthetic;
};

// Equal cells, or categories; without missing values.
std::vector<Bar> bars_of(const ColumnShares& column) {
  std::vector<Bar> bars;
  const std::size_t cells = column.real.size() - 1;
  for (std::size_t i = 0; i < cells; ++i) {
    std::string name;
    if (column.categories.empty()) {
      const double width = (column.upper - column.lower) / static_cast<double>(cells);
      const double from = column.lower + width * static_cast<double>(i);
      name = short_number(from) + " to " + short_number(from + width);
    } else {
      name = column.categories[i];
    }
    bars.push_back({name, column.real[i], column.synthetic[i]});
  }
  if (column.categories.empty() || cells <= most_categories) return bars;
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) {
    const auto size = [](const Bar& bar) {
      return (std::isnan(bar.real) ? 0 : bar.real) +
             (std::isnan(bar.synthetic) ? 0 : bar.synthetic);
    };
    return size(a) > size(b);
  });
  Bar rest = {std::to_string(cells - most_categories + 1) + " others", 0, 0};
  for (std::size_t i = most_categories - 1; i < cells; ++i) {
    rest.real += bars[i].real;
    rest.synthetic += bars[i].synthetic;
  }
  bars.resize(most_categories - 1);
  bars.push_back(rest);
  return bars;
}

double distance(const ColumnShares& column) {
  double sum = 0;
  for (std::size_t i = 0; i < column.real.size(); ++i) {
    sum += std::abs(column.real[i] - column.synthetic[i]);
  }
  return std::isnan(sum) ? NAN : std::min(sum / 2, 1.);
}

class Plot {
 public:
  Plot(const ColumnShares& column, SvgArea area)
      : column_(column), area_(area), bars_(bars_of(column)) {
    missing_ = {"NULL", column.real.back(), column.synthetic.back()};
    has_missing_ = missing_.real > 0 || missing_.synthetic > 0;
    width_ = area.width;
    // The label of the last tick and that of what is missing need their room.
    gap_ = column.categories.empty() ? 4 * gap : gap;
    if (has_missing_) width_ = (area.width - gap_) * bar_count() / (bar_count() + 1);
    for (const Bar& bar : bars_) raise(bar);
    raise(missing_);
    if (top_ == 0) top_ = 1;
  }

  std::string draw() {
    const double apart = distance(column_);
    out_ =
        svg_text_at(svg_margin, area_.top - 9, svg_text(column_.name, 34), "font-weight=\"bold\"") +
        svg_small_at(area_.left + area_.width, area_.top - 9,
                     std::isnan(apart) ? "unknown" : "apart by " + short_number(apart, 2),
                     "text-anchor=\"end\" fill=\"#555\"") +
        svg_small_at(area_.left - 5, area_.top + 9, percent(top_), "text-anchor=\"end\"");
    const double each = width_ / bar_count();
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      draw_bar(bars_[i], area_.left + each * static_cast<double>(i), each);
    }
    if (has_missing_) {
      draw_bar(missing_, area_.left + width_ + gap_, each);
      label("NULL", area_.left + width_ + gap_ + each / 2);
    }
    column_.categories.empty() ? ticks() : names(each);
    return out_ + "<path d=\"M" + svg_pixels(area_.left) + " " +
           svg_pixels(area_.top + area_.height) + "h" + svg_pixels(area_.width) +
           "\" stroke=\"#333\"/>\n";
  }

 private:
  double bar_count() const { return static_cast<double>(bars_.size()); }

  void raise(const Bar& bar) {
    for (const double share : {bar.real, bar.synthetic}) {
      if (share > top_) top_ = share;  // not NaN
    }
  }

  void draw_bar(const Bar& bar, double left, double width) {
    out_ += "<g><title>" + svg_text(bar.name, 60) + ": real " + percent(bar.real) + ", synthetic " +
            percent(bar.synthetic) + "</title>";
    const double each = .42 * width;
    const auto rect = [&](double share, double from, const char* color) {
      if (!(share > 0)) return;
      const double height = area_.height * share / top_;
      out_ += "<rect x=\"" + svg_pixels(from) + "\" y=\"" +
              svg_pixels(area_.top + area_.height - height) + "\" width=\"" +
              svg_pixels(std::max(each, .5)) + "\" height=\"" + svg_pixels(height) + "\" fill=\"" +
              color + "\"/>";
    };
    rect(bar.real, left + .08 * width, real_color);
    rect(bar.synthetic, left + .5 * width, synthetic_color);
    out_ += "</g>\n";
  }

  void label(const std::string& text, double at, double down = 16) {
    const double half = letter * svg_line_width(text) / 2 + 3;
    out_ += svg_small_at(std::clamp(at, half, svg_width - half), area_.top + area_.height + down,
                         text, "text-anchor=\"middle\"");
  }

  void ticks() {
    const AxisTicks axis = svg_fitting_ticks(column_.unit, column_.lower, column_.upper, width_);
    for (const Tick& tick : axis.ticks) {
      const double part = (tick.value - column_.lower) / (column_.upper - column_.lower);
      const double at = area_.left + width_ * part;
      out_ += "<path d=\"M" + svg_pixels(at) + " " + svg_pixels(area_.top + area_.height) +
              "v4\" stroke=\"#333\"/>";
      label(tick.label, at);
      if (!tick.below.empty()) label(tick.below, at, 30);
    }
  }

  // The names of the bars, as many as there is room for.
  void names(double each) {
    const double letters = std::max(each, 5 * letter) / letter;
    const auto step = static_cast<std::size_t>(std::max(1., std::ceil(5 * letter / each)));
    for (std::size_t i = 0; i < bars_.size(); i += step) {
      label(svg_text(bars_[i].name, letters), area_.left + each * (static_cast<double>(i) + .5));
    }
  }

  const ColumnShares& column_;
  const SvgArea area_;
  std::vector<Bar> bars_;
  Bar missing_;
  bool has_missing_;
  double width_, gap_ = gap, top_ = 0;
  std::string out_;
};

}  // namespace

std::string draw_shares(const SharesPicture& picture) {
  const std::size_t drawn = std::min(picture.columns.size(), most_columns);
  std::string description = "Bars of the share of rows in each cell, real beside synthetic.";
  for (std::size_t i = 0; i < drawn; ++i) {
    const double apart = distance(picture.columns[i]);
    description += " " + svg_text(picture.columns[i].name, 60) + ": total variation " +
                   (std::isnan(apart) ? "unknown" : short_number(apart, 3)) + ".";
  }
  std::string out =
      svg_legend({{svg_bar_mark(real_color), "real"}, {svg_bar_mark(synthetic_color), "synthetic"}},
                 0)
          .drawing;
  double top = first_top + 22;
  for (std::size_t i = 0; i < drawn; ++i, top += down) {
    poll();
    out +=
        Plot(picture.columns[i], {plot_left, top, svg_width - plot_left - svg_margin, plot_height})
            .draw();
  }
  const std::size_t left = picture.columns.size() - drawn;
  return svg_document({svg_text(picture.real, 40) + " and " + svg_text(picture.synthetic, 40) +
                           ", column by column",
                       "share of the rows; apart by: total variation distance", description,
                       left == 0 ? "" : "and " + std::to_string(left) + " more columns, not drawn"},
                      out, top - first_top);
}

}  // namespace dpmix
