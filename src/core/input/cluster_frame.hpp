// What counts rows by class and most likely component: a MixtureFrame, and how many classes there
// are, which need not be as many as components.
#pragma once

#include <span>
#include <vector>

#include "core/input/mixture_frame.hpp"

namespace dpmix {

struct ClusterFrame {
  MixtureFrame mixture;
  int classes = 0;  // 1 to MomentFrame::max_classes

  // What follows the frame in a pass: what follows it for the mixture, then classes.
  std::vector<double> extra() const;
  // Reads frame and extra together. Error PV005 unless valid.
  static ClusterFrame unpack(std::span<const double> packed);
};

}  // namespace dpmix
