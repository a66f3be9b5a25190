#include "core/noise/gaussian/mixture_least_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>

#include "core/base/poll.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/gaussian/mixture_full_shift.hpp"
#include "core/noise/gaussian/mixture_worst_shift.hpp"

namespace dpmix {
namespace {

// The scale that leaves is up to this above the least one for the shifts that were looked at, so
// that the certificate has room between them.
constexpr double kMargin = 6e-4;

// The search is heuristic; only the certificate at its end counts.
// delta never increases in the scale (more Gaussian noise is post-processing), at any shift.
class Search {
 public:
  Search(double epsilon, double delta, int components)
      : epsilon_(epsilon),
        delta_(delta),
        tolerance_(1e-4 * delta),
        components_(components),
        gaussian_((1 + 0x1p-48) / gdp_mu(epsilon, delta)) {}

  LeastScale run() {
    const double full = scale_for(1, 0, delta_ * (1 - 1e-9));
    if (full_shift_is_worst(law(full), epsilon_)) return certified_from(full, full);
    double scale = full;
    for (double shift : {0.75, 0.5}) scale = std::max(scale, scale_for(shift, scale, delta_));
    // The full shift is the worst from some scale on. Below, humps of f show at shifts between.
    const double easy = least_scale_of_full_shift(scale);
    if (easy <= scale) return certified_from(scale, easy);
    if (const double below = easy * (1 - kMargin); violated(below)) {
      return certified_from(below, easy);
    }
    constexpr int kRounds = 20;
    for (int round = 0; round < kRounds && scale < gaussian_; ++round) {
      const double from = std::min(0.99, 0.8 * scale / gaussian_);
      const ShiftPeak peak = look_for_peak(law(scale), epsilon_, from, tolerance_);
      if (peak.delta <= delta_ * (1 + 5e-4)) break;
      scale = scale_for(peak.shift, scale, delta_);
    }
    return certified_from(scale, scale * (1 + kMargin));
  }

 private:
  UnitMixture law(double scale) const { return {scale, components_, epsilon_}; }

  // The least scale >= from at which the full shift is proved the worst; infinite if there is none
  // of use.
  double least_scale_of_full_shift(double from) const {
    if (full_shift_is_worst(law(from), epsilon_)) return from;
    if (!full_shift_is_worst(law(gaussian_), epsilon_)) return HUGE_VAL;
    double low = from, high = gaussian_;
    while (high > low * (1 + 0.1 * kMargin)) {
      const double middle = std::sqrt(low * high);
      (full_shift_is_worst(law(middle), epsilon_) ? high : low) = middle;
    }
    return high;
  }

  bool violated(double scale) const {
    if (scale > gaussian_) return false;
    // A coarse tolerance only weakens the lower bound that is compared. Just below the unimodal
    // scale the worst shift is close to 1.
    const UnitMixture at = law(scale);
    for (double shift : {0.9, 0.95, 0.97, 0.98, 0.99, 0.995}) {
      if (hockey_stick(at, epsilon_, shift, tolerance_).lower > delta_) return true;
    }
    return false;
  }

  double delta_at(double shift, double scale) const {
    poll();
    return shift == 1 ? hockey_stick_full_shift(law(scale), epsilon_).value
                      : hockey_stick(law(scale), epsilon_, shift, tolerance_).lower;
  }

  // The least scale that reaches the target at this shift alone, and is at least `least`.
  double scale_for(double shift, double least, double target) const {
    const double floor = std::max(least, gaussian_ * 0x1p-14);
    const auto excess = [&](double log_scale) {
      return std::log(std::max(delta_at(shift, std::exp(log_scale)), 1e-320) / target);
    };
    struct End {
      double log_scale, excess;
    };
    const auto end = [&](double scale) {
      const double log_scale = std::log(scale);
      return End{log_scale, excess(log_scale)};
    };
    const double top = std::log(gaussian_);
    End low = end(floor), high = end(gaussian_);
    if (low.excess <= 0) return floor;
    // The Gaussian's scale may miss a target below delta; the certificate takes it all the same.
    if (high.excess > 0) return gaussian_;
    if (least > 0) {
      for (double growth = 0.01; low.log_scale + growth < top; growth *= 2) {
        const End next = end(std::exp(low.log_scale + growth));
        if (next.excess <= 0) {
          high = next;
          break;
        }
        low = next;
      }
    } else {
      for (;;) {
        const End next = end(std::exp(high.log_scale) / 2);
        if (next.log_scale <= low.log_scale) break;
        if (next.excess > 0) {
          low = next;
          break;
        }
        high = next;
      }
    }
    // The full shift's scale may be the answer itself; others are starting points.
    const double close = shift == 1 ? 1e-7 : 2e-5;
    std::uintmax_t most_steps = 100;
    return std::exp(boost::math::tools::toms748_solve(
                        excess, low.log_scale, high.log_scale, low.excess, high.excess,
                        [&](double a, double b) { return b - a < close; }, most_steps)
                        .second);
  }

  // The least scale from here on that the certificate accepts; none below `least` is to be had. The
  // analytic Gaussian's always is: joint convexity.
  LeastScale certified_from(double least, double scale) const {
    LeastScale accepted;
    for (double growth = 1 + kMargin; accepted.scale == 0; growth *= growth) {
      scale = std::min(scale, gaussian_);
      const ShiftCover cover = cover_all_shifts(law(scale), epsilon_, delta_);
      if (cover.proved) {
        accepted = {scale, cover.bound};
      } else {
        least = scale;
        if (cover.violation > 0) {
          least = std::max(least, scale_for(cover.violation, scale, delta_));
          scale = least * (1 + kMargin);
        } else {
          scale *= growth;
        }
      }
    }
    while (accepted.scale > least * (1 + 2 * kMargin)) {
      const double middle = std::sqrt(least * accepted.scale);
      const ShiftCover cover = cover_all_shifts(law(middle), epsilon_, delta_);
      if (cover.proved) {
        accepted = {middle, cover.bound};
      } else {
        least = middle;
      }
    }
    return accepted;
  }

  double epsilon_, delta_, tolerance_;
  int components_;
  double gaussian_;  // the analytic Gaussian's scale: always enough
};

}  // namespace

LeastScale least_scale(double epsilon, double delta, int components) {
  return Search(epsilon, delta, components).run();
}

}  // namespace dpmix
