// Noise of counts (lattice step 1, sensitivity 1) beside noise on a fine lattice: noise_counts.
// Leaves a table in Markdown on stdout: E|noise| of what is released, fine -> count.
#include <array>
#include <cstdio>
#include <string>

#include "core/noise/calibration.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kDelta = 1e-6;
constexpr std::array kEpsilons = {.25, .5, 1., 2., 3., 5.};

void print() {
  std::printf("| delta = %g |", kDelta);
  for (const double epsilon : kEpsilons) std::printf(" epsilon = %g |", epsilon);
  std::printf("\n|---");
  for (std::size_t i = 0; i < kEpsilons.size(); ++i) std::printf("|---");
  std::printf("|\n");
  for (const Family family : kFamilies) {
    std::printf("| %s |", std::string(name(family)).c_str());
    for (const double epsilon : kEpsilons) {
      const double fine = expected_abs(calibrate(family, epsilon, kDelta, 1).law);
      const NoiseLaw law = calibrate_on_lattice(family, epsilon, kDelta, 1).law;
      std::printf(" %.4g → %.4g |", fine, lattice_moments(law, 1).expected_abs);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace dpmix

int main() {
  dpmix::print();
  return 0;
}
