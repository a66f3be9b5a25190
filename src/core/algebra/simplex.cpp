#include "core/algebra/simplex.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace dpmix {

void project_to_simplex(std::span<double> p, double total) {
  if (p.empty()) return;
  const double most = *std::max_element(p.begin(), p.end());
  for (double& x : p) x -= most;  // so that a small total survives large coordinates
  std::vector<double> sorted(p.begin(), p.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, excess = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double shift = (sum - total) / static_cast<double>(i + 1);
    if (sorted[i] <= shift) break;
    excess = shift;
  }
  for (double& x : p) x = std::max(0., x - excess);
}

}  // namespace dpmix
