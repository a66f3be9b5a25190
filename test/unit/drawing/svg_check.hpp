// Whether a picture is well-formed: tags that close in order, attributes in double quotes,
// references that end, no other byte than printable ASCII and newlines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dpmix::test {

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

}  // namespace dpmix::test
