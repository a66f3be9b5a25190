// Reads and writes the exact text of states, and what all of them hold.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/int128.hpp"

namespace dpmix {

inline std::string hex(std::uint64_t value) {
  char buffer[16];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr};
}

// Reads from the front of a text; after a mismatch ok is false for good.
struct StateReader {
  std::string_view text;
  bool ok = true;

  void expect(char c) {
    ok = ok && !text.empty() && text.front() == c;
    if (ok) text.remove_prefix(1);
  }
  template <class Number>
  void read(Number& value, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    ok = ok && error == std::errc();
    if (ok) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  void read(Int128& value) {
    const std::size_t size = std::min(text.find_first_not_of("-0123456789"), text.size());
    const std::optional<Int128> parsed = parse_int128(text.substr(0, size));
    ok = ok && parsed.has_value();
    if (ok) value = *parsed;
    text.remove_prefix(ok ? size : 0);
  }
  template <class Number>
  void read(std::vector<Number>& values, std::size_t size) {
    for (std::size_t i = 0; ok && i < size; ++i) {
      if (i > 0) expect(',');
      read(values.emplace_back());
    }
  }
  bool done() const { return ok && text.empty(); }
};

}  // namespace dpmix
