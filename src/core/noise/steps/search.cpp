#include "core/noise/steps/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/poll.hpp"
#include "core/noise/steps/cutoff.hpp"
#include "core/noise/steps/excess.hpp"
#include "core/noise/steps/moments.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGolden = 0.6180339887498949;

// What an atom must gain: with its probability the exact answer is shown, not for less than .1%.
constexpr double kAtomWorth = 1.001;

struct Point {
  double x, value;
};

// Golden section; a value may be infinite on one side of the minimum.
template <class Function>
Point least_between(double low, double high, int evaluations, Function f) {
  const auto at = [&](double x) { return Point{x, f(x)}; };
  Point best = at(low);
  const auto keep = [&](const Point& p) {
    if (p.value < best.value) best = p;
  };
  const Point end = at(high);
  keep(end);
  Point left = at(high - kGolden * (high - low)), right = at(low + kGolden * (high - low));
  for (int i = 4; i < evaluations; ++i) {  // four there are already
    keep(left);
    keep(right);
    // Where all is infinite, towards the end that is not.
    if (left.value < right.value || (left.value == right.value && std::isinf(end.value))) {
      high = right.x;
      right = left;
      left = at(high - kGolden * (high - low));
    } else {
      low = left.x;
      left = right;
      right = at(low + kGolden * (high - low));
    }
  }
  keep(left);
  keep(right);
  return best;
}

class Search {
 public:
  Search(double epsilon, double delta, double sensitivity)
      : epsilon_(epsilon), delta_(delta), most_(std::floor((sensitivity - 1) / 2)) {
    shape_ = {.sensitivity = sensitivity, .period = sensitivity, .fall = epsilon};
    best_ = shape_;
  }

  StepLaw run(double start) {
    const double half_width = best_half_width(start);
    refine(half_width);
    // Dips make narrower landings worth it, or wider ones.
    const double again = best_half_width(half_width);
    if (again != half_width) refine(again);
    for (const double near : {best_.half_width - 1, best_.half_width + 1}) {
      if (near >= 0 && near <= most_ && most_ <= 64) refine(near);
    }
    return best_;
  }

 private:
  // E|K| of the shape when it is cut off; infinite if some shift has more than delta.
  double error(const StepLaw& shape) {
    poll();
    const StepLaw law = cut_off(shape, epsilon_, delta_);
    const StepExcess<double> excess(law, epsilon_);
    for (const Int128 shift : worst_step_shifts(law)) {
      if (excess.delta(shift) > delta_ * (1 + 1e-12)) return kInfinity;
    }
    const double value = step_expected_abs(law) * (law.atom > 0 ? kAtomWorth : 1);
    if (value < least_) {
      least_ = value;
      best_ = shape;
    }
    return value;
  }

  // The half width near `start` of least error, with the dip and the atom of the best law so far.
  double best_half_width(double start) {
    StepLaw shape = shape_;
    shape.dip = best_.dip;
    shape.atom = best_.atom;
    const auto at = [&](double half_width) {
      shape.half_width = std::clamp(std::nearbyint(half_width), 0.0, most_);
      return error(shape);
    };
    const double reach = std::max(2.0, 0.25 * start);
    const double low = std::max(0.0, start - reach), high = std::min(most_, start + reach);
    return std::nearbyint(least_between(low, high, 14, at).x);
  }

  // The best atom, and for each atom the best dip.
  void refine(double half_width) {
    StepLaw shape = shape_;
    shape.half_width = half_width;
    const bool has_dips = 2 * half_width + 1 < shape.period;
    const auto with_atom = [&](double share) {
      shape.atom = delta_ * share;
      shape.dip = 1;
      if (!has_dips) return error(shape);
      return least_between(0.5, 1, 16,
                           [&](double dip) {
                             shape.dip = dip;
                             return error(shape);
                           })
          .value;
    };
    least_between(0, 0.999, 10, with_atom);
  }

  double epsilon_, delta_, most_;
  StepLaw shape_, best_;
  double least_ = kInfinity;
};

}  // namespace

StepLaw tulap_shape(double epsilon, double sensitivity) {
  StepLaw law{.sensitivity = sensitivity, .period = sensitivity, .fall = epsilon};
  law.half_width = std::floor((sensitivity - 1) / 2);
  // For an even sensitivity, stairs end in the middle of the one cell between two landings.
  if (2 * law.half_width + 1 < sensitivity) {
    law.dip = std::min(0.5 + std::exp(epsilon) / 2, std::numeric_limits<double>::max());
  }
  return law;
}

StepLaw best_step_shape(double epsilon, double delta, const StepLaw& start) {
  return Search(epsilon, delta, start.sensitivity).run(start.half_width);
}

}  // namespace dpmix
