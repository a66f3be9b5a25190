#include "core/drawing/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/drawing/page.hpp"
#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double row_height = 22, name_letters = 24;
constexpr double widest = 8, narrowest = 1.2;

// So that columns that were measured together are near each other: along the tree, from its first
// column on.
std::vector<std::size_t> rows_of(const DependencePicture& picture) {
  const std::size_t columns = picture.columns.size();
  std::vector<std::vector<std::size_t>> beside(columns);
  for (const auto& pair : picture.pairs) {
    if (pair.chord) continue;
    beside[static_cast<std::size_t>(pair.a)].push_back(static_cast<std::size_t>(pair.b));
    beside[static_cast<std::size_t>(pair.b)].push_back(static_cast<std::size_t>(pair.a));
  }
  std::vector<std::size_t> row(columns, columns), waiting;
  std::size_t next = 0;
  for (std::size_t first = 0; first < columns; ++first) {
    waiting.push_back(first);
    while (!waiting.empty()) {
      const std::size_t column = waiting.back();
      waiting.pop_back();
      if (row[column] < columns) continue;
      row[column] = next++;
      waiting.insert(waiting.end(), beside[column].rbegin(), beside[column].rend());
    }
  }
  return row;
}

class Picture {
 public:
  explicit Picture(const DependencePicture& picture) : p_(picture), row_(rows_of(picture)) {
    double name = 4;
    for (const std::string& column : p_.columns) {
      name = std::max(name, svg_text_width(column, name_letters));
    }
    left_ = svg_margin + svg_letter * name + 14;
    for (const auto& pair : p_.pairs) {
      most_ = std::max(most_, pair.nats);
      farthest_ = std::max(farthest_, distance(pair));
    }
  }

  std::string draw() const {
    const std::string within =
        p_.label.empty() ? "" : ", within classes of " + svg_text(p_.label, name_letters);
    std::string body;
    for (const auto& pair : p_.pairs) body += line(pair);
    for (std::size_t i = 0; i < p_.columns.size(); ++i) body += column(i);
    return svg_document({"Tree model " + svg_text(p_.model, 80),
                         "how columns depend on each other" + within, description(),
                         "wider lines: stronger dependence, at most " + short_number(most_, 3) +
                             " nats; dashed: chords; without a line: drawn by itself"},
                        body, row_height * static_cast<double>(p_.columns.size()) + 6);
  }

 private:
  double y_of(int column) const {
    return row_height * (static_cast<double>(row_[static_cast<std::size_t>(column)]) + .5);
  }
  double distance(const DependencePicture::Pair& pair) const {
    return std::abs(y_of(pair.a) - y_of(pair.b));
  }
  // An arc to the right of the columns, the wider the farther they are apart.
  std::string line(const DependencePicture::Pair& pair) const {
    const double from = std::min(y_of(pair.a), y_of(pair.b)), apart = distance(pair);
    const double room = svg_width - svg_margin - widest - left_;
    const double across = std::min(apart * .75, room * std::sqrt(apart / farthest_));
    const double share = most_ > 0 ? std::sqrt(pair.nats / most_) : 0;
    return "<path d=\"M" + svg_pixels(left_) + " " + svg_pixels(from) + "a" + svg_pixels(across) +
           " " + svg_pixels(apart / 2) + " 0 0 1 0 " + svg_pixels(apart) +
           "\" fill=\"none\" stroke=\"" + svg_colors[0] +
           "\" stroke-opacity=\"0.8\" stroke-width=\"" +
           svg_pixels(std::max(narrowest, widest * share)) + "\"" +
           (pair.chord ? " stroke-dasharray=\"6 4\"" : "") + "><title>" + name(pair.a) + " and " +
           name(pair.b) + ": " + short_number(pair.nats, 3) + " nats</title></path>\n";
  }
  std::string column(std::size_t i) const {
    const double y = y_of(static_cast<int>(i));
    return "<circle cx=\"" + svg_pixels(left_) + "\" cy=\"" + svg_pixels(y) + "\" r=\"5\" fill=\"" +
           svg_colors[6] + "\"/>\n" +
           svg_text_at(left_ - 12, y + 4, name(static_cast<int>(i)), "text-anchor=\"end\"");
  }
  std::string name(int column) const {
    return svg_text(p_.columns[static_cast<std::size_t>(column)], name_letters);
  }
  std::string description() const {
    std::string text;
    for (const auto& pair : p_.pairs) {
      text += (text.empty() ? "" : "; ") + name(pair.a) + " and " + name(pair.b) + " " +
              short_number(pair.nats, 3);
    }
    return text.empty() ? "no pairs" : text;
  }

  const DependencePicture& p_;
  const std::vector<std::size_t> row_;  // of each column
  double left_ = 0, most_ = 0, farthest_ = row_height;
};

}  // namespace

std::string draw_dependence(const DependencePicture& picture) {
  return Picture(picture).draw();
}

}  // namespace dpmix
