#include "core/query/box_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/next_double.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

// The largest double r with r * scale <= sensitivity: a smaller rate is more noise.
double rate_below(const NoiseLaw& law) {
  const double rate = law.sensitivity / law.scale;
  return std::fma(rate, law.scale, -law.sensitivity) > 0 ? next_down(rate) : rate;
}

NoiseLaw laplace_law(const Problem& problem, double epsilon, double sensitivity) {
  return problem.calibrate(Family::laplace, epsilon, 0, sensitivity, std::nullopt).law;
}

// The errors of all statistics: with so many in a box, which has one of the parts of epsilon, and
// with a part for each.
struct Errors {
  double boxed = 0, apart = 0;
};
Errors errors_of(const Problem& problem, int together, double part, double smaller_part) {
  Errors sum;
  for (const StatisticShift& shift : problem.shifts) {
    const auto error = [&](const NoiseLaw& law) {
      return lattice_moments(law, 1).expected_abs / shift.each;
    };
    sum.boxed += error(shift.together ? law_in_box(problem, together, shift)
                                      : laplace_law(problem, part, shift.l1));
    sum.apart += error(laplace_law(problem, smaller_part, shift.l1));
  }
  return sum;
}

}  // namespace

NoiseLaw law_in_box(const Problem& problem, int together, const StatisticShift& shift) {
  const double part = share(problem.epsilon, problem.statistics() - (together - 1));
  // A row that is replaced may leave one group for another: each has half of the part.
  NoiseLaw law = laplace_law(problem, share(part, shift.pieces), shift.each);
  law.components = together;
  return law;
}

int statistics_in_box(const Problem& problem) {
  int together = 0, pieces = 1;
  for (const StatisticShift& shift : problem.shifts) {
    if (!shift.together) continue;
    together++;
    pieces = std::max(pieces, shift.pieces);
  }
  if (together < 2 || together > kMostTogether) return 0;
  if (problem.together) return *problem.together ? together : 0;
  if (problem.accounting.counts_cost() && !problem.accurate) return 0;
  const std::int64_t parts = std::int64_t{problem.statistics()} - (together - 1);
  const double part = share(problem.epsilon, parts);
  if (share(part, pieces) < kLeastPart) return 0;
  const double smaller = share(problem.epsilon, problem.statistics());
  if (smaller < kLeastPart) return together;
  const Errors errors = errors_of(problem, together, part, smaller);
  return errors.boxed <= errors.apart ? together : 0;
}

bool is_in_box(const StatisticNoise& noise) {
  return noise.law.family == Family::laplace && noise.law.components > 1 && noise.law.scale != 0 &&
         noise.range == 0;
}

BoxDraws::BoxDraws(int together, double rate, std::vector<Part> parts)
    : radius_(together, rate), parts_(std::move(parts)) {}

std::vector<Int128> BoxDraws::operator()(RandomStream& random) const {
  const UInt128 width = 2 * radius_(random) + 1;
  std::vector<Int128> drawn;
  for (const Part& part : parts_) {
    const UInt128 integers = width * part.steps;
    const Int128 noise =
        static_cast<Int128>(below(random, integers)) - static_cast<Int128>((integers - 1) / 2);
    // An even number of integers has one more on one side: a coin says on which.
    const bool turns = part.steps % 2 == 0 && random.next64() >> 63 != 0;
    drawn.push_back(turns ? -noise : noise);
  }
  return drawn;
}

std::optional<BoxDraws> box_draws(std::span<const StatisticNoise> noise) {
  double rate = std::numeric_limits<double>::infinity();  // the same but for a rounding
  int together = 0;
  std::vector<BoxDraws::Part> parts;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (!is_in_box(noise[i])) continue;
    rate = std::min(rate, rate_below(noise[i].law));
    together = noise[i].law.components;
    parts.push_back({static_cast<int>(i), static_cast<UInt128>(noise[i].law.sensitivity)});
  }
  if (parts.empty()) return std::nullopt;
  return BoxDraws(together, rate, std::move(parts));
}

}  // namespace dpmix
