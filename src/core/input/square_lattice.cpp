#include "core/input/square_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpmix {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 30;  // as fine as a column's own lattice

}  // namespace

SquarePlacer square_placer(std::int64_t reach) {
  SquarePlacer placer{reach, 0};
  while (placer.most() > kMostSteps) ++placer.shift;
  return placer;
}

Lattice square_lattice(const Lattice& centred) {
  using Limits = std::numeric_limits<double>;
  const SquarePlacer placer = square_placer(centred.high);
  const double reach = static_cast<double>(centred.high) * centred.step;
  const double step = std::ldexp(centred.step, placer.shift - 1) * centred.step;
  const auto most = static_cast<std::int64_t>(placer.most());
  return {std::min(reach / 2 * reach, Limits::max()),
          std::clamp(step, Limits::min(), Limits::max()), -most, most};
}

}  // namespace dpmix
