#include "core/survival/drawn_curve.hpp"

#include <algorithm>

namespace dpmix {

std::vector<double> drawn_curve(const Band& band, bool rises) {
  std::vector<double> falling, curve(band.size());
  double least = 1;
  for (const BandPoint& point : band) {
    least = std::min(least, rises ? 1 - point.estimate : point.estimate);
    falling.push_back(std::max(least, 0.0));
  }
  double most = 0;
  for (std::size_t i = band.size(); i-- > 0;) {
    const double estimate = rises ? 1 - band[i].estimate : band[i].estimate;
    most = std::min(std::max(most, estimate), 1.0);
    const double middle = (falling[i] + most) / 2;
    curve[i] = rises ? 1 - middle : middle;
  }
  return curve;
}

}  // namespace dpmix
