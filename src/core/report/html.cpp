#include "core/report/html.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

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

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j > bytes.size() ? '=' : digits[bits >> (18 - 6 * j) & 63];
    }
  }
  return out;
}

// What a character reference stands for, as UTF-8; empty: it is none.
std::string referred(std::string_view name) {
  constexpr std::pair<std::string_view, char> named[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [word, character] : named) {
    if (name == word) return {character};
  }
  std::uint32_t code = 0;
  const bool hex = name.starts_with("#x");
  const char* from = name.data() + (hex ? 2 : 1);
  const char* end = name.data() + name.size();
  if (!name.starts_with('#') || from >= end ||
      std::from_chars(from, end, code, hex ? 16 : 10).ptr != end || code > 0x10ffff) {
    return {};
  }
  std::string out;
  const auto more = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6), more(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12), more(6), more(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18), more(12), more(6), more(0);
  }
  return out;
}

// The first title of a drawing, as plain text; whatever it holds is escaped again.
std::string title_of(std::string_view svg) {
  constexpr std::string_view open = "<title>", close = "</title>";
  const std::size_t from = svg.find(open), to = svg.find(close, std::min(from, svg.size()));
  if (to == std::string_view::npos) return {};
  std::string_view xml = svg.substr(from + open.size(), to - from - open.size());
  std::string out;
  while (!xml.empty()) {
    const std::size_t end = xml.starts_with('&') ? xml.find(';') : std::string_view::npos;
    const std::string one = end < 12 ? referred(xml.substr(1, end - 1)) : std::string();
    out += one.empty() ? std::string(1, xml[0]) : one;
    xml.remove_prefix(one.empty() ? 1 : end + 1);
  }
  return out;
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

Html name_of(std::string_view text) {
  return Html("<bdi>") + Html::text(text, 200) + "</bdi>";
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

Html picture(std::string_view svg) {
  Html out("<img alt=\"");
  out += Html::text(title_of(svg), 300);
  out += "\" src=\"data:image/svg+xml;base64,";
  out += Html::text(base64(svg), std::numeric_limits<double>::infinity());
  return out + "\"/>";
}

std::string html_document(std::string_view title, const Html& body, Loads loads) {
  Html out(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'");
  if (loads == Loads::pictures) out += "; img-src data:";
  out += Html(
      "\"/>\n"
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
