#include "core/query/norm_bound.hpp"

#include "core/base/whole_root.hpp"

namespace dpmix {
NormBound norm_bound(const Contribution& unit, int groups, bool pairs, bool by_rows) {
  const std::int64_t in = std::min(unit.groups, groups);
  if (pairs) return {true, by_rows, 0, in, in};
  const std::int64_t most = unit.rows_per_group,
                     rows = std::min<std::int64_t>(unit.rows, in * most);
  const std::int64_t full = rows / most, rest = rows % most;
  const bool stated = most < unit.rows || unit.groups < unit.rows;
  return {false, by_rows, stated ? most : 0, rows, full * most * most + rest * rest};
}

NormBound search_bound(const Contribution& unit, int groups) {
  return {true, false, 0, 1, 1, std::min(unit.groups, groups)};
}

std::uint32_t weight_of_unit(const NormBound& bound, const UnitSum& sum, int bits) {
  const std::uint64_t whole = std::uint64_t{1} << bits;
  if (sum.sum == 0) return static_cast<std::uint32_t>(whole);
  if (bound.by_rows) {
    const UInt128 most = (UInt128{static_cast<std::uint64_t>(bound.rows)} << bits) / sum.sum;
    return static_cast<std::uint32_t>(std::min<UInt128>(most, whole));
  }
  const UInt128 most = (UInt128{static_cast<std::uint64_t>(bound.squares)} << (2 * bits)) / sum.sum;
  if (most >= UInt128{whole} * whole) return static_cast<std::uint32_t>(whole);
  return static_cast<std::uint32_t>(whole_root(most));
}

}  // namespace dpmix
