#include "core/base/int128.hpp"

#include <algorithm>

namespace dpmix {

std::string to_string(Int128 value) {
  if (value == 0) return "0";
  UInt128 magnitude = value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
  std::string digits;
  for (; magnitude != 0; magnitude /= 10) {
    digits.push_back(static_cast<char>('0' + static_cast<int>(magnitude % 10)));
  }
  if (value < 0) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<Int128> parse_int128(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 39) return std::nullopt;
  constexpr UInt128 limit = static_cast<UInt128>(1) << 127;
  UInt128 magnitude = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const UInt128 digit = static_cast<UInt128>(c - '0');
    if (magnitude > (limit - digit) / 10) return std::nullopt;
    magnitude = magnitude * 10 + digit;
  }
  if (!negative && magnitude == limit) return std::nullopt;
  return static_cast<Int128>(negative ? -magnitude : magnitude);
}

}  // namespace dpmix
