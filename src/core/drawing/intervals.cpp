#include "core/drawing/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/poll.hpp"
#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double widest_beside = 18;  // letters of a label; longer ones stand above their bars
constexpr double label_letters = 58, value_letters = 14, title_letters = 90, remark_letters = 130;
constexpr std::size_t rows_of_a_screen = 25;
constexpr const char *bar_color = "#9ecae1", *inner_color = "#56b4e9", *mark_color = "#0072b2";
// What a range is made of: sums and differences of such numbers are numbers. Beyond them is as far
// off as infinity.
constexpr double most = 1e300, least_range = 1e-290;

bool placed(const std::optional<double>& value) {
  return value && std::abs(*value) <= most;
}

std::string value_text(const std::optional<double>& value, int digits) {
  if (!value) return "NULL";
  if (std::isnan(*value)) return "NaN";
  if (std::isinf(*value)) return *value > 0 ? "Infinity" : "-Infinity";
  return short_number(*value == 0 ? 0 : *value, digits);
}

class Picture {
 public:
  explicit Picture(const IntervalPicture& picture) : p_(picture) {
    choose_range();
    double label = 6, value = 4;
    for (const IntervalRow& row : p_.rows) {
      label = std::max(label, svg_text_width(row.label.value_or("NULL"), label_letters));
      value = std::max(value, svg_line_width(answer_text(row, 5)));
    }
    labels_above_ = label > widest_beside;
    row_height_ = labels_above_ ? 36 : 22;
    const double left = svg_margin + (labels_above_ ? 0 : svg_letter * label + 8);
    // A long list has its axis at the top, too: nobody should have to scroll for it.
    const double top = p_.rows.size() > rows_of_a_screen ? 16 : 2;
    area_ = {left, top, svg_width - svg_margin - 8 - svg_letter * value - left,
             row_height_ * static_cast<double>(std::max<std::size_t>(p_.rows.size(), 1)) + 10};
  }

  std::string draw() {
    if (any_) axis();
    if (p_.rows.empty()) {
      out_ += svg_text_at(area_.left + area_.width / 2, area_.top + 19, "no rows",
                          "text-anchor=\"middle\" fill=\"#555\"");
    }
    for (std::size_t i = 0; i < p_.rows.size(); ++i) {
      if (i % 64 == 0) poll();
      draw_row(p_.rows[i], area_.top + 5 + row_height_ * static_cast<double>(i + 1));
    }
    out_ += svg_frame(area_);
    return svg_document({p_.title.empty() ? "Private answers" : svg_text(p_.title, title_letters),
                         count() + (intervals() ? " with their intervals" : ", without intervals"),
                         description(), note()},
                        out_, area_.top + area_.height + 26);
  }

 private:
  void choose_range() {
    low_ = std::numeric_limits<double>::infinity();
    high_ = -low_;
    for (const IntervalRow& row : p_.rows) {
      for (const auto& value : {row.answer, row.low, row.high, row.inner_low, row.inner_high}) {
        if (!placed(value)) continue;
        low_ = std::min(low_, *value);
        high_ = std::max(high_, *value);
      }
    }
    any_ = low_ <= high_;
    if (!any_) low_ = high_ = 0;
    const double largest = std::max(std::abs(low_), std::abs(high_));
    // Where all are equal, or too close for doubles to have places between them.
    if (high_ - low_ <= std::max(largest * 1e-9, least_range)) {
      const double around = largest > least_range ? largest * .1 : 1;
      low_ -= around;
      high_ += around;
    } else if (low_ > 0 && low_ < .5 * (high_ - low_)) {
      low_ = 0;  // near enough to be shown
    } else if (high_ < 0 && -high_ < .5 * (high_ - low_)) {
      high_ = 0;
    }
    const double margin = .03 * (high_ - low_);
    if (low_ != 0) low_ -= margin;
    if (high_ != 0) high_ += margin;
  }

  double place(double value) const {
    return area_.left + area_.width * std::clamp((value - low_) / (high_ - low_), 0., 1.);
  }

  void axis() {
    const AxisTicks axis = svg_fitting_ticks(AxisUnit::number, low_, high_, area_.width);
    out_ += svg_x_axis(area_, axis, low_, high_, "");
    if (p_.rows.size() > rows_of_a_screen) {
      for (const Tick& tick : axis.ticks) {
        out_ +=
            svg_small_at(place(tick.value), area_.top - 5, tick.label, "text-anchor=\"middle\"");
      }
    }
    if (low_ >= 0 || high_ <= 0) return;
    out_ += "<path d=\"M" + svg_pixels(place(0)) + " " + svg_pixels(area_.top) + "v" +
            svg_pixels(area_.height) + "\" stroke=\"#999\"/>\n";
  }

  // Draws a bar from one end to the other, with an arrow at the edge for an infinite end. None
  // without both ends.
  void draw_interval(const std::optional<double>& one, const std::optional<double>& other, double y,
                     double height, const char* color) {
    if (!one || !other || std::isnan(*one) || std::isnan(*other)) return;
    const double low = std::min(*one, *other), high = std::max(*one, *other);
    const double from = place(low), to = place(high);
    const double width = std::max(to - from, 1.);
    out_ += "<rect x=\"" + svg_pixels(from) + "\" y=\"" + svg_pixels(y - height / 2) +
            "\" width=\"" + svg_pixels(width) + "\" height=\"" + svg_pixels(height) + "\" fill=\"" +
            color + "\"/>";
    if (low < -most) arrow(area_.left, y, 7);
    if (high > most) arrow(area_.left + area_.width, y, -7);
  }

  void arrow(double tip, double y, double length) {
    out_ += "<path d=\"M" + svg_pixels(tip) + " " + svg_pixels(y) + "l" + svg_pixels(length) +
            " -7v14Z\" fill=\"" + mark_color + "\"/>";
  }

  // bottom: of the row.
  void draw_row(const IntervalRow& row, double bottom) {
    const double y = bottom - 11;
    out_ += "<g><title>" + details(row) + "</title>";
    out_ += svg_text_at(labels_above_ ? area_.left + 4 : area_.left - 8,
                        labels_above_ ? bottom - 22 : y + 4,
                        svg_text(row.label.value_or("NULL"), label_letters),
                        std::string(labels_above_ ? "" : "text-anchor=\"end\"") +
                            (row.label ? "" : " fill=\"#555\" font-style=\"italic\""));
    draw_interval(row.low, row.high, y, 10, bar_color);
    draw_interval(row.inner_low, row.inner_high, y, 6, inner_color);
    if (placed(row.answer)) {
      out_ += "<circle cx=\"" + svg_pixels(place(*row.answer)) + "\" cy=\"" + svg_pixels(y) +
              "\" r=\"4\" fill=\"" + mark_color + "\"/>";
    }
    out_ += svg_text_at(area_.left + area_.width + 8, y + 4, answer_text(row, 5)) + "</g>\n";
  }

  std::string answer_text(const IntervalRow& row, int digits) const {
    return row.words.empty() ? value_text(row.answer, digits) : svg_text(row.words, value_letters);
  }

  std::string details(const IntervalRow& row) const {
    return svg_text(row.label.value_or("NULL"), 60) + ": " + answer_text(row, 8) + " [" +
           value_text(row.low, 8) + ", " + value_text(row.high, 8) + "]";
  }

  std::string note() const {
    std::string text = p_.remark.empty() ? "" : svg_text(p_.remark, remark_letters);
    if (p_.rows_left == 0) return text;
    return text + (text.empty() ? "" : "; ") + "and " + std::to_string(p_.rows_left) + " more row" +
           (p_.rows_left > 1 ? "s" : "") + ", not drawn";
  }

  std::string count() const {
    return std::to_string(p_.rows.size()) + " " + p_.noun + (p_.rows.size() == 1 ? "" : "s");
  }

  bool intervals() const {
    return p_.rows.empty() ||
           std::any_of(p_.rows.begin(), p_.rows.end(), [](const IntervalRow& row) {
             return row.low && row.high && !std::isnan(*row.low) && !std::isnan(*row.high);
           });
  }

  std::string description() const {
    std::string text = count() + ", each as a dot, and its interval as a bar.";
    for (std::size_t i = 0; i < std::min<std::size_t>(p_.rows.size(), 20); ++i) {
      text += " " + details(p_.rows[i]) + ".";
    }
    return text;
  }

  const IntervalPicture& p_;
  SvgArea area_{};
  bool labels_above_ = false;
  double row_height_ = 0;
  double low_ = 0, high_ = 1;
  bool any_ = false;  // anything that has a place
  std::string out_;
};

}  // namespace

std::string draw_intervals(const IntervalPicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
