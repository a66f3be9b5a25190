#include "core/tree_model/graph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dpmix {

bool ColumnGraph::joined(int a, int b) const {
  return std::binary_search(neighbours_[index(a)].begin(), neighbours_[index(a)].end(), b);
}

void ColumnGraph::join(int a, int b) {
  const auto add = [&](int to, int i) {
    std::vector<int>& sorted = neighbours_[index(to)];
    sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), i), i);
  };
  if (joined(a, b)) return;
  add(a, b);
  add(b, a);
}

bool ColumnGraph::connected(int a, int b, int without) const {
  std::vector<int> waiting = {a};
  std::vector<bool> seen(neighbours_.size());
  while (!waiting.empty()) {
    const int i = waiting.back();
    waiting.pop_back();
    if (i == b) return true;
    if (i == without || seen[index(i)]) continue;
    seen[index(i)] = true;
    waiting.insert(waiting.end(), neighbours_[index(i)].begin(), neighbours_[index(i)].end());
  }
  return false;
}

// A chord makes cliques of its ends and of all that are joined with both. And a way around these
// would make a cycle that no chord cuts.
std::optional<int> ColumnGraph::chord_over(int a, int b) const {
  if (a == b || joined(a, b)) return std::nullopt;
  std::vector<int> both;
  std::set_intersection(neighbours_[index(a)].begin(), neighbours_[index(a)].end(),
                        neighbours_[index(b)].begin(), neighbours_[index(b)].end(),
                        std::back_inserter(both));
  if (both.size() != 1 || connected(a, b, both.front())) return std::nullopt;
  return both.front();
}

// Takes away, from the last step to the first, a column whose neighbours are at most two, joined.
std::optional<std::vector<DrawStep>> ColumnGraph::order() const {
  ColumnGraph left = *this;
  std::vector<bool> taken(neighbours_.size());
  std::vector<DrawStep> steps;
  while (static_cast<int>(steps.size()) < columns()) {
    int best = -1;
    std::size_t fewest = 3;
    for (int i = 0; i < columns(); ++i) {
      const std::vector<int>& of = left.neighbours_[index(i)];
      const bool fits = of.size() < fewest && (of.size() < 2 || left.joined(of[0], of[1]));
      if (!taken[index(i)] && fits) best = i, fewest = of.size();
    }
    if (best < 0) return std::nullopt;
    taken[index(best)] = true;
    for (const int j : left.neighbours_[index(best)]) std::erase(left.neighbours_[index(j)], best);
    steps.push_back({best, std::exchange(left.neighbours_[index(best)], {})});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace dpmix
