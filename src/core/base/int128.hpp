// 128-bit integers: the type of every exact sum and of every noise value. One row adds less than
// 2^62, so 2^64 rows cannot overflow a sum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dpmix {

using Int128 = __int128;
using UInt128 = unsigned __int128;

// The nearest double. Most values are short, and the conversion of 128 bits is a slow call.
inline double to_double(Int128 value) {
  const auto narrow = static_cast<std::int64_t>(value);
  return narrow == value ? static_cast<double>(narrow) : static_cast<double>(value);
}

std::string to_string(Int128 value);
// Decimal digits with an optional leading minus; nullopt when malformed or out of range.
std::optional<Int128> parse_int128(std::string_view text);

}  // namespace dpmix
