#include "core/query/group_finder.hpp"

#include <cmath>

#include "core/random/noisy.hpp"

namespace dpmix {

GroupFinder::GroupFinder(const GroupSearch& search, const NoiseLaw* counted)
    : shown_from_(static_cast<Int128>(std::ldexp(search.shown_from, search.weight_bits))) {
  if (search.kind == SearchKind::coin) {
    coin_.emplace(search.each_epsilon, search.each_delta);
  } else if (search.statistic >= 0) {
    noise_.emplace(*counted);
  } else {
    noise_.emplace(NoiseLaw{.family = Family::gaussian,
                            .scale = std::ldexp(search.deviation, search.weight_bits)});
  }
}

std::optional<Int128> GroupFinder::find(RandomStream& random, std::uint64_t units) const {
  if (units == 0) return std::nullopt;  // nobody knows its name
  if (coin_) return coin_->keeps(random, units) ? std::optional<Int128>(0) : std::nullopt;
  const Int128 shown = noisy(random, *noise_, static_cast<Int128>(units));
  return shown >= shown_from_ ? std::optional(shown) : std::nullopt;
}

}  // namespace dpmix
