#include "core/cube/renumbering.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr std::size_t kCellsPerPoll = 1 << 16;

}  // namespace

KeySet renumbered(KeySet set, std::span<const int> number) {
  KeySet made = 0;
  for (const int key : keys_of(set)) made |= KeySet{1} << number[static_cast<std::size_t>(key)];
  return made;
}

std::vector<double> reordered(std::span<const double> table, std::span<const int> size,
                              std::span<const int> number) {
  if (std::ranges::is_sorted(number)) return {table.begin(), table.end()};
  std::vector<std::size_t> axis(number.size()), stride(number.size()), at(number.size());
  std::iota(axis.begin(), axis.end(), std::size_t{0});
  std::ranges::sort(axis, {}, [&](std::size_t k) { return number[k]; });
  std::size_t behind = 1;
  for (std::size_t k = axis.size(); k-- > 0;) {
    stride[axis[k]] = behind;
    behind *= static_cast<std::size_t>(size[axis[k]]);
  }
  std::vector<double> made(table.size());
  std::size_t place = 0;
  for (std::size_t cell = 0; cell < table.size(); ++cell) {
    if (cell % kCellsPerPoll == 0) poll();
    made[place] = table[cell];
    for (std::size_t k = size.size(); k-- > 0;) {
      place += stride[k];
      if (++at[k] < static_cast<std::size_t>(size[k])) break;
      place -= stride[k] * static_cast<std::size_t>(size[k]);
      at[k] = 0;
    }
  }
  return made;
}

}  // namespace dpmix
