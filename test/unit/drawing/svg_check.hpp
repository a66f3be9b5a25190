// Whether a picture is well-formed, and can be read on a screen of 400 pixels. Well-formed: tags
// that close in order, attributes in double quotes, references that end, no other byte than
// printable ASCII and newlines.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/drawing/xml_text.hpp"

namespace dpmix::test {

// Of a part in a picture.
inline std::size_t occurrences(const std::string& svg, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = svg.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

inline ::testing::AssertionResult well_formed(const std::string& xml) {
  const auto fail = [&](const char* what, std::size_t at) {
    return ::testing::AssertionFailure() << what << " at: " << xml.substr(at, 60);
  };
  std::vector<std::string> open;
  std::size_t roots = 0;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const char c = xml[i];
    if (c != '\n' && (c < 0x20 || c >= 0x7F)) return fail("byte", i);
    if (c == '>') return fail("stray >", i);
    if (c == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 9 || xml[i + 1] != '#') return fail("reference", i);
      for (std::size_t j = i + 2; j < end; ++j) {
        if (xml[j] < '0' || xml[j] > '9') return fail("reference", i);
      }
    }
    if (c != '<') continue;
    std::size_t end = i + 1;
    bool quoted = false;
    for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return fail("< in a tag", end);
    }
    if (end == xml.size()) return fail("open tag", i);
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::string name =
        tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return fail("closing tag", i);
      open.pop_back();
    } else if (tag.back() != '/') {
      if (open.empty() && ++roots > 1) return fail("second root", i);
      open.push_back(name);
    }
    i = end;
  }
  if (!open.empty() || roots != 1) return fail("not closed", 0);
  return ::testing::AssertionSuccess();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A number after `name="` in a tag; `absent` where there is none.
inline double attribute(const std::string& tag, const std::string& name, double absent) {
  const std::size_t at = tag.find(' ' + name + "=\"");
  return at == std::string::npos ? absent
                                 : std::strtod(tag.c_str() + at + name.size() + 3, nullptr);
}

// A screen of 400 pixels that leaves 350 to the picture: no letter is smaller than 9.5 pixels, and
// none is beyond the picture's edges.
inline ::testing::AssertionResult fits_a_small_screen(const std::string& svg) {
  const std::size_t box = svg.find("viewBox=\"0 0 ");
  if (box == std::string::npos) return ::testing::AssertionFailure() << "no viewBox";
  char* end = nullptr;
  const double width = std::strtod(svg.c_str() + box + 13, &end),
               height = std::strtod(end, nullptr);
  struct Place {
    double x, y;
  };
  std::vector<Place> places = {{0, 0}};  // of the elements that are open
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos; ++at) {
    const std::string tag = svg.substr(at, svg.find('>', at) - at);
    if (tag.starts_with("</g") || tag.starts_with("</svg")) places.pop_back();
    const bool group = tag.starts_with("<g") && !tag.starts_with("<gr");
    if (group || tag.starts_with("<svg")) {
      Place place = places.back();
      if (const std::size_t moved = tag.find("translate("); moved != std::string::npos) {
        char* next = nullptr;
        place.x += std::strtod(tag.c_str() + moved + 10, &next);
        place.y += std::strtod(next, nullptr);
      }
      places.push_back({place.x + attribute(tag, "x", 0), place.y + attribute(tag, "y", 0)});
    }
    if (!tag.starts_with("<text")) continue;
    const std::string text =
        svg.substr(at + tag.size() + 1, svg.find('<', at + 1) - at - tag.size() - 1);
    const double size = attribute(tag, "font-size", 12);
    if (size * 350 / width < 9.5) return ::testing::AssertionFailure() << "too small: " << text;
    const double wide = .42 * size * svg_line_width(text);  // rather less than it is
    const double x = places.back().x + attribute(tag, "x", 0),
                 y = places.back().y + attribute(tag, "y", 0);
    const double left = tag.find("\"end\"") != std::string::npos      ? x - wide
                        : tag.find("\"middle\"") != std::string::npos ? x - wide / 2
                                                                      : x;
    if (left < 0 || left + wide > width || y < size || y > height - 3) {
      return ::testing::AssertionFailure() << "beyond the edges: " << tag << text;
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace dpmix::test
