#include "core/drawing/budget.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/base/poll.hpp"
#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double plot_height = 220;
constexpr double least_share =
    .02;  // a total below this part of the budget gets an axis of its own

static_assert(budget_colors < std::size(svg_colors));  // the last, black, is the lines'

std::string times(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class Picture {
 public:
  explicit Picture(const BudgetPicture& picture) : p_(picture), stack_(budget_stack(picture)) {
    from_ = p_.from;
    to_ = std::max(p_.to, p_.from + 1);
    to_ += .04 * (to_ - from_);  // room to see what was spent just now
    total_ = p_.steps.empty() ? 0 : p_.steps.back().total;
    budget_ = p_.budgets.back().epsilon;
    for (const BudgetPicture::Band& band : p_.bands) charges_ += band.charges;
    choose_top();
    area_ = svg_plot(top_value_, plot_height);
  }

  std::string draw() {
    const AxisTicks axis = svg_fitting_ticks(AxisUnit::time, from_, to_, area_.width);
    const double below = svg_below(area_, axis);
    out_ = svg_x_axis(area_, axis, from_, to_, "time (UTC)");
    out_ += svg_y_axis(area_, top_value_, "&#949; spent");
    plot();
    const SvgLegend keys = legend(below);
    return svg_document(
        {"Privacy budget of " + svg_text(p_.relation, 60), spent_text(), description(), note()},
        out_ + keys.drawing, below + keys.height);
  }

 private:
  void choose_top() {
    double highest = std::max(total_, budget_);
    budget_above_ = total_ > 0 && total_ < least_share * budget_;
    if (budget_above_) highest = total_ * 1.15;
    // Budgets of the past matter less than what can be read of the rest.
    double past = 0;
    for (const BudgetPicture::Budget& b : p_.budgets) past = std::max(past, b.epsilon);
    past_above_ = !budget_above_ && past > 3 * highest;
    if (!budget_above_ && !past_above_) highest = std::max(highest, past);
    top_value_ = 1.06 * highest;
  }

  // Places within the area, in pixels.
  double place_x(double at) const {
    return area_.width * std::clamp((at - from_) / (to_ - from_), 0., 1.);
  }
  double place_y(double epsilon) const {
    return area_.height * (1 - std::min(epsilon / top_value_, 2.));
  }

  // A line that steps up or down where it changes, from the left edge to the right one.
  class Stairs {
   public:
    Stairs(double y, double end) : y_(svg_pixels(y)), path_("M0 " + y_), end_(end) {}
    void step(double x, double y) {
      const std::string next = svg_pixels(y);
      if (next == y_) return;
      path_ += "H" + svg_pixels(x) + "V" + next;
      y_ = next;
    }
    std::string finish() const { return path_ + "H" + svg_pixels(end_); }

   private:
    std::string y_, path_;
    double end_;
  };

  // The top of the lowest `bands` bands.
  std::string top_of(std::size_t bands) const {
    Stairs stairs(place_y(0), area_.width);
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      double height = 0;
      for (std::size_t b = 0; b < bands; ++b) height += stack_[i][b];
      stairs.step(place_x(p_.steps[i].at), place_y(height));
    }
    return stairs.finish();
  }

  bool is_others(std::size_t band) const { return !p_.sees_all && band + 1 == p_.bands.size(); }
  std::string fill(std::size_t band) const {
    if (is_others(band)) return "#d8d8d8";
    return band < budget_colors ? svg_colors[band] : "#8c8c8c";
  }

  void plot() {
    out_ += svg_open_area(area_);
    const std::string base = svg_pixels(place_y(0));
    for (std::size_t b = p_.bands.size(); b-- > 0;) {  // each over the one above it
      poll();
      out_ += "<path d=\"" + top_of(b + 1) + "V" + base + "Z\" fill=\"" + fill(b) +
              "\" stroke=\"#fff\" stroke-width=\".5\"><title>" + details(b) + "</title></path>\n";
    }
    if (!p_.steps.empty()) {
      out_ += "<path d=\"" + top_of(p_.bands.size()) +
              "\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"><title>composed total" +
              "</title></path>\n";
    }
    Stairs budget(place_y(p_.budgets.front().epsilon), area_.width);
    for (const BudgetPicture::Budget& b : p_.budgets)
      budget.step(place_x(b.at), place_y(b.epsilon));
    out_ += "<path d=\"" + budget.finish() +
            "\" fill=\"none\" stroke=\"#222\" stroke-width=\"2\" stroke-dasharray=\"7 4\"><title>" +
            "budget</title></path>\n" + svg_close_area() + svg_frame(area_);
  }

  std::string added(std::size_t band) const {
    return short_number(stack_.empty() ? 0 : stack_.back()[band], 3);
  }

  std::string name(std::size_t band, double width) const {
    return svg_text(p_.bands[band].role, width);
  }

  std::string details(std::size_t band) const {
    const BudgetPicture::Band& b = p_.bands[band];
    return name(band, 200) + ": " + times(b.charges, "charge") + " of together &#949; " +
           short_number(b.epsilon, 3) + ", which added " + added(band) + " to the total";
  }

  SvgLegend legend(double top) const {
    std::vector<SvgKey> keys;
    keys.push_back({svg_line_mark("stroke=\"#222\" stroke-width=\"2\" stroke-dasharray=\"7 4\""),
                    "budget " + short_number(budget_, 4), "for all releases"});
    keys.push_back({svg_line_mark("stroke=\"#222\" stroke-width=\"1.5\""),
                    "composed total " + short_number(total_, 3), "of all charges"});
    for (std::size_t b = p_.bands.size(); b-- > 0;) {
      keys.push_back({svg_bar_mark(fill(b)), name(b, 24),
                      "+" + added(b) + ", " + times(p_.bands[b].charges, "charge"), details(b)});
    }
    return svg_legend(keys, top);
  }

  std::string spent_text() const {
    return "&#949; " + short_number(total_, 3) + " of " + short_number(budget_, 4) +
           " spent at &#948; = " + short_number(p_.delta, 3) + " (" + svg_text(p_.accountant) +
           "), " + times(charges_, "charge") + (p_.active ? "" : ", no longer protected");
  }

  std::string note() const {
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : " ") + more; };
    if (budget_above_) {
      add("The budget, " + short_number(budget_, 4) + ", is far above the top of the picture.");
    }
    if (past_above_) add("An earlier budget is above the top of the picture.");
    if (!p_.sees_all) add("What others spent is drawn at your next charge, or now.");
    return text;
  }

  std::string description() const {
    std::string text =
        "The composed total of all charges over time, in steps, below the budget: " + spent_text() +
        ".";
    for (std::size_t b = 0; b < p_.bands.size(); ++b) text += " " + details(b) + ".";
    return text;
  }

  const BudgetPicture& p_;
  const std::vector<std::vector<double>> stack_;
  SvgArea area_{};
  double from_ = 0, to_ = 1, total_ = 0, budget_ = 0, top_value_ = 1;
  std::int64_t charges_ = 0;
  bool budget_above_ = false, past_above_ = false;
  std::string out_;
};

}  // namespace

std::vector<std::vector<double>> budget_stack(const BudgetPicture& picture) {
  std::vector<std::vector<double>> stack;
  std::vector<double> height(picture.bands.size());
  double before = 0, epsilon_so_far = 0;
  for (const BudgetPicture::Step& step : picture.steps) {
    double epsilon = 0, cost = 0;
    for (const BudgetPicture::Part& part : step.parts) {
      epsilon += part.epsilon;
      cost += part.cost;
    }
    epsilon_so_far += epsilon;
    // A little less than the sum is still the sum, rounded.
    const bool by_cost = cost > 0 && step.total < epsilon_so_far * (1 - 1e-9);
    const double sum = by_cost ? cost : epsilon;
    for (const BudgetPicture::Part& part : step.parts) {
      if (sum > 0) {
        height[part.band] += (step.total - before) * ((by_cost ? part.cost : part.epsilon) / sum);
      }
    }
    before = step.total;
    stack.push_back(height);
  }
  return stack;
}

std::string draw_budget(const BudgetPicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
