// How often intervals hold in designs in which they are hard to get right, of those that are shown:
// build/bench/regression/hard_designs [releases of each [part of a design's name]].
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tables/hard_designs.hpp"

using namespace dpmix;
using namespace dpmix::test;

int main(int argc, char** argv) {
  const int releases = argc > 1 ? std::atoi(argv[1]) : 200;
  double worst = 1;
  std::printf("%-9s %-40s %7s %8s %8s %9s %9s %11s\n", "kind", "design", "epsilon", "releases",
              "shown", "open", "rows", "population");
  for (const HardDesign& of : hard_designs()) {
    if (argc > 2 && of.name.find(argv[2]) == std::string::npos) continue;
    const bool linear = of.kind == RegressionKind::linear;
    Coverage all;
    for (const double epsilon : {.25, 1., 4.}) {
      const Coverage here = coverage_of(of, epsilon, linear ? releases : releases / 2, 1);
      std::printf("%-9s %-40s %7g %8d %7.0f%% %8.1f%% %8.1f%% %10.1f%%\n",
                  linear ? "linear" : "logistic", of.name.c_str(), epsilon, here.releases,
                  100. * here.shown / here.releases,
                  100 * here.open / std::max(1., here.coefficients), 100 * here.share(),
                  100 * here.share_population());
      std::fflush(stdout);
      all.coefficients += here.coefficients;
      all.held += here.held;
    }
    worst = std::min(worst, all.share());
  }
  std::printf("the worst design: %.1f%% of the intervals that are shown hold\n", 100 * worst);
}
