#include "core/input/distance_bins.hpp"

#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {

DistanceBins DistanceBins::unpack(std::span<const double> packed) {
  DistanceBins out;
  out.frame = MomentFrame::unpack_front(packed);
  bool valid = !packed.empty() && packed.size() <= max_edges;
  double before = -1;
  for (const double edge : packed) {
    valid = valid && std::isfinite(edge) && edge == std::floor(edge) && edge > before;
    before = edge;
  }
  if (!valid) {
    refuse_parameter(
        "invalid edges of distances",
        "After the frame come 1 to 1000 finite whole numbers >= 0, each above the one before.",
        "Use the layout in the comment on dpmix_internal.class_distances.");
  }
  out.edges.assign(packed.begin(), packed.end());
  return out;
}

}  // namespace dpmix
