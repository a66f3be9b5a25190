#include "core/noise/steps/law.hpp"

#include <cmath>
#include <string>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

bool is_integer(double x) {
  return x == std::floor(x);
}

}  // namespace

void check_step_law(const StepLaw& law) {
  const auto require = [](bool holds, const char* what, double value, const char* range) {
    if (holds) return;  // each draw asks
    require_in_range(false, std::string(what) + " of a step law", value, range);
  };
  require(law.sensitivity >= 1 && law.sensitivity <= 0x1p53 && is_integer(law.sensitivity),
          "sensitivity", law.sensitivity, "an integer between 1 and 2^53 lattice steps");
  require(law.period == law.sensitivity || law.period == 1, "period", law.period,
          "1 or the sensitivity");
  require(law.fall > 0 && law.fall <= 1e9 && law.fall / law.period >= 0x1p-80, "fall", law.fall,
          "at most 1e9 and at least 2^-80 times the period");
  require(law.half_width >= 0 && is_integer(law.half_width) && 2 * law.half_width + 1 <= law.period,
          "half_width", law.half_width,
          "an integer, at least 0, of which twice and one more are at most the period");
  require(law.dip > 0 && (law.dip <= 1 || law.dip <= std::exp(law.fall) * (1 - 0x1p-49)) &&
              !std::isinf(law.dip),
          "dip", law.dip, "greater than 0 and less than e^fall");
  require(law.cutoff >= 1 &&
              (std::isinf(law.cutoff) || (law.cutoff <= 0x1p100 && is_integer(law.cutoff))),
          "cutoff", law.cutoff, "an integer between 1 and 2^100, or infinite");
  require(law.edge > 0 && law.edge <= 1, "edge", law.edge, "greater than 0 and at most 1");
  require(law.atom >= 0 && law.atom < 1, "atom", law.atom, "at least 0 and less than 1");
}

}  // namespace dpmix
