// Exact sums of vectors and of their products, by class, as plain values: what a release sees, and
// their exact text. What they are sums of: class_moments.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/int128.hpp"

namespace dpmix {

// What two states must share to be added. All zeros: a state that has seen no row yet.
struct MomentShape {
  std::int32_t classes = 0, features = 0;
  std::int64_t resolution = 0;
  std::uint64_t frame = 0;  // fingerprint of the frame that placed the rows

  bool blank() const { return *this == MomentShape{}; }
  bool valid() const;  // blank, or within MomentFrame's limits
  std::size_t products() const {
    return static_cast<std::size_t>(features) * (static_cast<std::size_t>(features) + 1) / 2;
  }
  bool operator==(const MomentShape&) const = default;
};

std::uint64_t fingerprint(std::span<const double> packed_frame);

struct MomentTotals {
  struct Class {
    std::int64_t count = 0;
    std::vector<Int128> sums, products;
  };
  MomentShape shape;
  std::vector<Class> classes;

  // Sums of other rows, of the same shape or blank.
  MomentTotals& operator+=(const MomentTotals& other);
  // Non-blank of the right sizes, and such as rows can make: counts in 0..2^62, |sum| <= count R,
  // |product| <= count R^2, the products' trace at most count R^2 and its terms at least |sum|.
  bool plausible() const;
  // (classes,features,resolution,frame){count|sums|products}...; () when blank. Exact.
  std::string to_text() const;
  static std::optional<MomentTotals> from_text(std::string_view text);
};

}  // namespace dpmix
