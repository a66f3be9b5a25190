#include "core/noise/steps/cutoff.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>

#include "core/noise/steps/excess.hpp"

namespace dpmix {
namespace {

// One number for cutoff and edge: a cell of edge 0 is no cell, so everything is continuous in it.
void cut_at(StepLaw& law, double place) {
  law.cutoff = std::ceil(place);
  law.edge = 1 - (law.cutoff - place);
}

}  // namespace

StepLaw cut_off(StepLaw law, double epsilon, double delta) {
  const double m = law.sensitivity;
  const double least = m - 1;  // with no more, delta is above a half: it is P(K >= 0) at least
  const auto excess = [&](double place) {
    if (place <= least) return -std::log(delta);
    cut_at(law, place);
    const double at = StepExcess<double>(law, epsilon).delta(static_cast<Int128>(m));
    return std::log(std::max(at, 1e-320) / delta);
  };
  double high = m + law.period * (1 - std::log(delta) / law.fall);
  while (excess(high) > 0) high *= 2;
  std::uintmax_t evaluations = 200;
  const auto close = [](double a, double b) { return b - a <= 1e-14 * b; };
  const auto bracket = boost::math::tools::toms748_solve(excess, least, high, -std::log(delta),
                                                         excess(high), close, evaluations);
  cut_at(law, bracket.second);
  return law;
}

}  // namespace dpmix
