#include "core/stats/pass.hpp"

namespace dpmix {

std::vector<double> Pass::pack() const {
  std::vector<double> packed = frame.pack();
  packed.insert(packed.end(), extra.begin(), extra.end());
  return packed;
}

}  // namespace dpmix
