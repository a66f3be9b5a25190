#include "core/accounting/losses/loss_composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/next_double.hpp"
#include "core/base/normal_tail.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr int kMostTilts = 64;
// A bound of which more than this share is blur is worth more tilts.
constexpr double kBlur = 0x1p-12;
// So many draws are expected among the rare losses, at most; and so often are these halved.
constexpr double kRare = 0x1p-6;
constexpr int kMostHalvings = 12;
constexpr double kMostIndex = 0x1p52;
constexpr std::int64_t kMostTimes = std::int64_t{1} << 30;  // indices of sums stay below 2^63

// A lower bound of gdp_delta(epsilon, mu), close to it; in double, for many epsilons.
double gdp_delta_below(double epsilon, double mu) {
  const double near = epsilon / mu - mu / 2, far = epsilon / mu + mu / 2;
  if (far > 37) return 0;
  const double tail = upper_tail(near);
  const double rest = std::exp(epsilon) * upper_tail(far);
  // docs/proofs/loss_distribution.md: arguments to 4 u far, tails to (4 x^2 + 24) u, exp to
  // epsilon.
  const double margin = kUnit * (64 + 16 * far * far + 4 * epsilon);
  return std::max(0.0, tail * (1 - margin) - rest * (1 + margin));
}

// Covers what a chord and its inverse may be wrong by, relatively.
constexpr double kChordMargin = 32 * kUnit;

// delta is convex in e^epsilon: between grid points it lies below the chord of bounds at both.
double chord(double below, double above, double past, double step) {
  const double share = std::expm1(past) / std::expm1(step) * (1 - kChordMargin);
  return std::min(below, (below - share * (below - above)) * (1 + kChordMargin));
}

// How far past the lower grid point that chord is at most delta, above <= delta < below.
double chord_reaches(double delta, double below, double above, double step) {
  const double share = (below - delta) / (below - above) * (1 + kChordMargin);
  return std::log1p(share * std::expm1(step)) * (1 + kChordMargin);
}

// The largest loss halved so often that all losses beyond it are still rare together.
int rare_halvings(const LossPart& part) {
  if (part.times < 2 || part.losses.empty() || part.losses.back() <= 0) return 0;
  double beyond = 0;
  std::size_t i = part.losses.size();
  int halvings = 0;
  for (; halvings < kMostHalvings; ++halvings) {
    const double edge = std::ldexp(part.losses.back(), -halvings - 1);
    while (i > 0 && part.losses[i - 1] > edge) beyond += std::exp(part.log_masses[--i]);
    if (!(beyond * static_cast<double>(part.times) <= kRare) || i == 0) break;
  }
  return halvings;
}

// Its finite losses in (above, most], as one draw.
LossPart cut_out(const LossPart& part, double above, double most) {
  LossPart result{.times = 1, .step = part.step};
  for (std::size_t i = 0; i < part.losses.size(); ++i) {
    if (part.losses[i] > above && part.losses[i] <= most) {
      result.add(part.indices[i], part.log_masses[i]);
    }
  }
  return result;
}

}  // namespace

// delta at grid points, falling, summed over slices of which each has a tilt of its own.
class LossComposition::Falling {
 public:
  // Each slice at its best tilt for this epsilon.
  Falling(const std::vector<Slice>& slices, double epsilon, std::int64_t wanted,
          std::int64_t most_points)
      : most_points_(most_points) {
    for (const Slice& slice : slices) {
      add(slice, TiltedLosses::centred(slice.parts, epsilon), wanted);
    }
  }
  Falling(const Slice& whole, const TiltedLosses& at, std::int64_t most_points)
      : most_points_(most_points) {
    add(whole, at, 0);
  }

  // visit(J, bound on delta(J step), blur in it), for J from the top of the windows, at most
  // `from`, down, until visit says stop.
  template <class Visit>
  void visit(std::int64_t from, Visit visit) const {
    std::int64_t top = std::numeric_limits<std::int64_t>::min();
    std::vector<TiltedComposition::Fall> falls;
    for (const TiltedComposition& slice : slices_) {
      falls.emplace_back(slice);
      top = std::max(top, falls.back().index());
    }
    for (std::int64_t j = std::min(from, top);; --j) {
      double bound = 0, blur = 0;
      for (std::size_t i = 0; i < falls.size(); ++i) {
        while (falls[i].index() > j && !falls[i].ended()) falls[i].down();
        if (falls[i].ended()) return;
        // delta never increases: at the window's top it speaks for all that is higher.
        bound += falls[i].bound() * weights_[i];
        blur += falls[i].blur() * weights_[i];
      }
      if (!visit(j, falls.size() > 1 ? bound * kSumMargin : bound, blur)) return;
    }
  }

 private:
  static constexpr double kSumMargin = 1 + 0x1p-46;  // a dozen positive terms

  void add(const Slice& slice, const TiltedLosses& at, std::int64_t wanted) {
    slices_.emplace_back(slice.parts, at, wanted, most_points_);
    weights_.push_back(slice.weight);
  }

  std::int64_t most_points_;
  std::vector<TiltedComposition> slices_;
  std::vector<double> weights_;
};

void LossComposition::add(const LossDistribution& loss, std::int64_t times) {
  check_parameter(times >= 1 && times <= kMostTimes, "number of compositions",
                  static_cast<double>(times), "1 to 2^30");
  check_parameter(parts_.empty() || parts_.front().step == loss.step, "grid step", loss.step,
                  "the same for all that is composed");
  LossPart part{.times = times, .step = loss.step, .infinite = loss.infinite};
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    if (loss.mass[i] > 0) {
      part.add(loss.first + static_cast<std::int64_t>(i), std::log(loss.mass[i]));
    }
  }
  parts_.push_back(std::move(part));
}

bool LossComposition::reveals_all() const {
  return std::ranges::any_of(
      parts_, [](const LossPart& part) { return part.infinite >= 1 || part.losses.empty(); });
}

// Where a few draws of many have by far the larger losses, one tilt has two humps: its round-off is
// relative to a bound far above delta. By the largest loss of the part with the rarest ones, each
// slice has one hump: the union over which of the draws that loss is.
std::vector<LossComposition::Slice> LossComposition::slices() const {
  std::size_t split = 0;
  int halvings = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (const int here = rare_halvings(parts_[i]); here > halvings) {
      halvings = here;
      split = i;
    }
  }
  std::vector<Slice> result = whole();
  if (halvings == 0) return result;
  const LossPart& part = parts_[split];
  const auto cut = [&](LossPart& to, double above, double most, std::int64_t times) {
    const double infinite = to.infinite;
    to = cut_out(part, above, most);
    to.times = times;
    to.infinite = infinite;
  };
  double edge = std::ldexp(part.losses.back(), -halvings);
  cut(result[0].parts[split], -kInfinity, edge, part.times);
  for (; halvings > 0; --halvings, edge *= 2) {
    LossPart largest = cut_out(part, edge, 2 * edge);
    if (largest.losses.empty()) continue;
    Slice slice{parts_, static_cast<double>(part.times)};
    for (LossPart& other : slice.parts) other.infinite = 0;  // counted with the first
    cut(slice.parts[split], -kInfinity, 2 * edge, part.times - 1);
    slice.parts.push_back(std::move(largest));
    result.push_back(std::move(slice));
  }
  return result;
}

double LossComposition::delta(double epsilon) const {
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  if (parts_.empty()) return 0;
  if (reveals_all()) return 1;
  const double grid = std::floor(epsilon / parts_.front().step);
  check_parameter(grid <= kMostIndex, "epsilon", epsilon, "at most 2^52 grid steps");
  const auto wanted = static_cast<std::int64_t>(grid);
  double below = 1, above = 1;  // bounds at the grid points around epsilon
  const auto look = [&](const std::vector<Slice>& slices) {
    bool blurred = true;
    Falling(slices, epsilon, wanted, most_points_)
        .visit(wanted + 1, [&](std::int64_t j, double bound, double blur) {
          if (j > wanted) {
            above = std::min(above, bound);
            return true;
          }
          blurred = !(blur <= kBlur * bound);
          below = std::min(below, bound);
          return false;
        });
    above = std::min(above, below);  // delta never increases
    return blurred;
  };
  if (look(whole())) {
    if (const std::vector<Slice> several = slices(); several.size() > 1) look(several);
  }
  return chord(below, above, epsilon - grid * parts_.front().step, parts_.front().step);
}

bool LossComposition::dominated(double mu, double slack) const {
  check_parameter(mu > 0 && std::isfinite(mu), "mu", mu, "above 0");
  check_parameter(slack > 0 && slack < 1, "slack", slack, "between 0 and 1, both excluded");
  if (parts_.empty()) return true;
  if (reveals_all()) return false;
  // One tilt is sharp around one epsilon. Walk down from where the slack alone suffices, with a new
  // tilt wherever the last one stops being a proof.
  double low = 0, high = 1;
  while (gdp_delta_below(high, mu) > slack) {
    low = high;
    high *= 2;
  }
  while (high > low * 1.01 + 1e-6) {
    const double middle = low + (high - low) / 2;
    (gdp_delta_below(middle, mu) > slack ? low : high) = middle;
  }
  const double step = parts_.front().step;
  auto next = std::numeric_limits<std::int64_t>::max();  // all above it is proved
  double around = high;
  for (int tilts = 0; tilts < kMostTilts; ++tilts, around = static_cast<double>(next) * step) {
    const std::int64_t before = next;
    Falling(whole(), around, 0, most_points_)
        .visit(next, [&](std::int64_t j, double bound, double) {
          // delta never increases, so delta(j step) speaks for the cell above it, and at the
          // window's top for all that is higher.
          const bool top = next == std::numeric_limits<std::int64_t>::max();
          if (!top && j < next) return false;  // a window that misses the cell at next
          const double target = top ? 0 : gdp_delta_below(static_cast<double>(j + 1) * step, mu);
          if (!(bound <= slack + (1 - slack) * target)) return false;
          next = j - 1;
          return j > 0;
        });
    if (next < 0) return true;
    if (next == before) return false;
  }
  return false;  // so close to the target that every tilt proves but a few cells
}

double LossComposition::epsilon(double delta) const {
  check_parameter(delta > 0 && delta < 1, "delta", delta, "between 0 and 1, both excluded");
  if (parts_.empty()) return 0;
  if (reveals_all()) return kInfinity;
  // Chernoff: delta(epsilon) <= e^{log M(tilt) - tilt epsilon}. Its best tilt is nearly the best.
  const auto chernoff = [&](double tilt) {
    return (TiltedLosses(parts_, tilt).log() - std::log(delta)) / tilt;
  };
  double best_tilt = 1, best = kInfinity;
  for (double step : {4.0, 1.4, 1.1}) {
    const double from = best_tilt;
    if (const double here = chernoff(from); here < best) best = here;
    for (double factor : {step, 1 / step}) {
      for (double tilt = from * factor; tilt > TiltedLosses::kLeast && tilt < TiltedLosses::kMost;
           tilt *= factor) {
        const double here = chernoff(tilt);
        if (!(here < best)) break;
        best = here;
        best_tilt = tilt;
      }
    }
  }
  Reached found = reached({whole().front(), TiltedLosses(parts_, best_tilt), most_points_}, delta);
  const auto look_again = [&](const std::vector<Slice>& slices, double from, double enough) {
    for (int tilts = 0; from < kInfinity && tilts < kMostTilts; ++tilts) {
      const Reached next = reached({slices, from, 0, most_points_}, delta);
      if (!(next.epsilon < found.epsilon)) break;
      const bool little = next.epsilon >= found.epsilon * (1 - enough);
      found = next;
      from = next.epsilon;
      if (little) break;
    }
  };
  // Where losses end, Chernoff's tilt is too steep further down: look from what was found.
  look_again(whole(), found.epsilon, 1e-9);
  if (!found.blurred) return found.epsilon;
  const std::vector<Slice> several = slices();
  if (several.size() > 1) look_again(several, std::min(found.epsilon, best), 1e-4);
  return found.epsilon;
}

LossComposition::Reached LossComposition::reached(const Falling& falling, double delta) const {
  Reached found{kInfinity, true};
  double above = 0;
  const double step = parts_.front().step;
  falling.visit(
      std::numeric_limits<std::int64_t>::max(), [&](std::int64_t j, double bound, double blur) {
        if (j < 0) return false;
        const double here = static_cast<double>(j) * step;
        if (bound <= delta) {
          found = {here, blur > kBlur * bound};
          above = bound;
          return true;
        }
        // A bound may be no number; but delta is at most 1.
        const double below = std::min(1.0, bound);
        if (found.epsilon < kInfinity) {
          found.epsilon =
              std::min(found.epsilon, next_up(here + chord_reaches(delta, below, above, step)));
        }
        return false;
      });
  return found;
}

}  // namespace dpmix
