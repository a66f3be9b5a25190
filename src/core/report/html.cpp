#include "core/report/html.hpp"

#include <algorithm>
#include <cmath>

#include "core/drawing/xml_text.hpp"
#include "core/report/style.hpp"

namespace dpmix {
namespace {

// Thousands apart, by a thin space that does not break a line.
Html grouped(const std::string& digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  Html out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < point && digits[i - 1] != '-' && (point - i) % 3 == 0) out += "&#8239;";
    out += Html::text(digits.substr(i, 1));
  }
  return out;
}

Markup opening(Column kind) {
  switch (kind) {
    case Column::numbers:
      return "<td class=\"n\" data-title=\"";
    case Column::code:
      return "<td class=\"q\" data-title=\"";
    case Column::words:
      break;
  }
  return "<td data-title=\"";
}

}  // namespace

Html Html::text(std::string_view anything, double width) {
  Html out;
  out.html_ = svg_text(anything, width);
  return out;
}

Html Html::drawn(std::string_view svg) {
  Html out;
  const std::size_t start = svg.find("<svg");  // a declaration before it is no part of a page
  if (start != std::string_view::npos) out.html_ = svg.substr(start);
  return out;
}

Html& Html::operator+=(const Html& more) {
  html_ += more.html_;
  return *this;
}

Html& Html::operator+=(Markup words) {
  html_ += words.text;
  return *this;
}

Html number(double value, int digits) {
  if (std::isnan(value)) return Html("&#8211;");
  if (std::isinf(value)) return value > 0 ? Html("&#8734;") : Html("&#8722;&#8734;");
  const std::string plain = short_number(value, digits);
  return plain.find('e') == std::string::npos ? grouped(plain) : Html::text(plain);
}

Html count(long long value) {
  return grouped(std::to_string(value));
}

Html table(std::initializer_list<Heading> headings, const std::vector<std::vector<Html>>& rows) {
  Html out("<div class=\"wide\"><table>\n<thead><tr>");
  for (const Heading& heading : headings) {
    out += heading.kind == Column::numbers ? Markup("<th scope=\"col\" class=\"n\">")
                                           : Markup("<th scope=\"col\">");
    out += heading.title;
    out += "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Html>& row : rows) {
    out += "<tr>";
    std::size_t i = 0;
    for (const Heading& heading : headings) {
      out += opening(heading.kind);
      out += heading.title;
      out += "\">";
      out += row.at(i).empty() ? Html("&#8211;") : row[i];
      out += "</td>";
      ++i;
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_document(std::string_view title, const Html& body) {
  Html out(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>");
  out += Html::text(title, 120);
  out += "</title>\n<style>\n";
  out += html_style;
  out += "</style>\n</head>\n<body>\n<main>\n";
  out += body;
  out += "</main>\n</body>\n</html>\n";
  return out.str();
}

}  // namespace dpmix
