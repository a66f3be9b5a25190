// Count and sum of a column on its lattice: exact, mergeable, equal for any order of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/input/lattice.hpp"
#include "core/int128.hpp"

namespace dpmix {

struct LatticeSum {
  Lattice lattice;
  std::int64_t count = 0;
  Int128 total = 0;  // in lattice steps

  void add(double value) {
    if (value != value) return;  // NaN is missing
    ++count;
    total += lattice.place(value);
  }
  // False (and no change) when the lattices differ or the state is not one that rows can make:
  // count >= 0 and count * low <= total <= count * high.
  bool merge(const LatticeSum& other);
  bool plausible() const;
  std::string to_text() const;
  static std::optional<LatticeSum> from_text(std::string_view text);
};

}  // namespace dpmix
