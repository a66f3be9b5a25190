#include "core/input/cluster_frame.hpp"

#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {

std::vector<double> ClusterFrame::extra() const {
  std::vector<double> extra = mixture.extra();
  extra.push_back(classes);
  return extra;
}

ClusterFrame ClusterFrame::unpack(std::span<const double> packed) {
  const double classes = packed.empty() ? 0 : packed.back();
  if (!(classes >= 1 && classes <= MomentFrame::max_classes && classes == std::floor(classes))) {
    refuse_parameter("invalid frame of clusters", "The last number is that of classes, 1 to 1000.",
                     "Use the layout in the comment on dpmix_internal.class_clusters.");
  }
  return {MixtureFrame::unpack(packed.first(packed.size() - 1)), static_cast<int>(classes)};
}

}  // namespace dpmix
