#include "core/cube/selection.hpp"

#include <algorithm>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

// One key after the other, the last first: what lies behind it was added up already.
template <class Number>
std::vector<Number> sums_of(const CubeWorkload& workload, const CubeSelection& selection,
                            std::span<const Number> table) {
  std::vector<Number> now(table.begin(), table.end());
  const std::vector<int> keys = keys_of(selection.keys);
  std::size_t behind = 1;
  for (std::size_t k = keys.size(); k-- > 0;) {
    poll();
    const auto size = static_cast<std::size_t>(workload.size(keys[k]));
    const std::size_t lines = now.size() / (size * behind);
    const auto& lists = selection.lists[k];
    std::vector<Number> next(lines * lists.size() * behind);
    for (std::size_t line = 0; line < lines; ++line) {
      for (std::size_t l = 0; l < lists.size(); ++l) {
        Number* to = next.data() + (line * lists.size() + l) * behind;
        for (const int value : lists[l]) {
          const Number* from =
              now.data() + (line * size + static_cast<std::size_t>(value)) * behind;
          for (std::size_t i = 0; i < behind; ++i) to[i] += from[i];
        }
      }
    }
    behind *= lists.size();
    now = std::move(next);
  }
  return now;
}

}  // namespace

std::vector<int> CubeSelection::lengths() const {
  std::vector<int> most;
  for (const auto& key : lists) {
    std::size_t length = 0;
    for (const auto& list : key) length = std::max(length, list.size());
    most.push_back(static_cast<int>(length));
  }
  return most;
}

double CubeSelection::cells() const {
  double cells = 1;
  for (const int length : lengths()) cells *= length;
  return cells;
}

std::vector<double> selected_sums(const CubeWorkload& workload, const CubeSelection& selection,
                                  std::span<const double> table) {
  return sums_of(workload, selection, table);
}

std::vector<Int128> selected_sums(const CubeWorkload& workload, const CubeSelection& selection,
                                  std::span<const Int128> table) {
  return sums_of(workload, selection, table);
}

}  // namespace dpmix
