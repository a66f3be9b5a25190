// The weights of a step law, as runs of equal weight that repeat, e^-fall times as high, every
// period: what sums over its cells in closed form are made of. Real: double for estimates, Quad
// for certificates.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/base/int128.hpp"
#include "core/base/quad.hpp"
#include "core/noise/steps/law.hpp"

namespace dpmix {

template <class Real>
class StepShape {
 public:
  // Cells first..last of the half-line y >= 0 have the weight factor * e^{-fall level}. Runs of one
  // kind have one factor, exactly.
  struct Run {
    Int128 first, last;
    Int128 level;
    Real factor;
    int kind;
  };

  explicit StepShape(const StepLaw& law)
      : period_(static_cast<Int128>(law.period)),
        half_width_(static_cast<Int128>(law.half_width)),
        cut_(!std::isinf(law.cutoff)),
        cutoff_(cut_ ? static_cast<Int128>(law.cutoff) : kBeyond),
        fall_(law.fall),
        edge_(law.edge) {
    // A deep fall would underflow before it meets a dip of nearly e^fall.
    dip_level_ = law.dip > 1 ? 0 : 1;
    dip_kind_ = law.dip == 1 ? kLanding : kDip;
    dip_ = law.dip > 1 ? Real(law.dip * power(1)) : Real(law.dip);
  }

  Int128 period() const { return period_; }
  bool is_cut() const { return cut_; }
  Int128 cutoff() const { return cutoff_; }

  // The run of y >= 0, cutoff and edge apart.
  Run run(Int128 y) const {
    const Int128 level = y / period_, start = level * period_;
    if (y - start <= half_width_)
      return {start - half_width_, start + half_width_, level, 1, kLanding};
    const Int128 next = start + period_;
    if (y < next - half_width_) {
      return {start + half_width_ + 1, next - half_width_ - 1, level + dip_level_, dip_, dip_kind_};
    }
    return {next - half_width_, next + half_width_, level + 1, 1, kLanding};
  }
  // The weight of y <= cutoff, as a run of which only level and factor count.
  Run cell(Int128 y) const {
    Run at = run(y);
    if (y == cutoff_ && edge_ < 1) {
      at.factor *= edge_;
      at.kind |= kEdge;
    }
    return at;
  }

  // e^{-fall level}; as a Quad never 0, so that nothing is lost from an upper bound.
  Real power(Int128 level) const {
    for (const Memo& memo : memos_) {
      if (memo.level == level) return memo.value;
    }
    memos_[oldest_] = {level, exp_of(-fall_ * real(level))};
    const Real value = memos_[oldest_].value;
    oldest_ = (oldest_ + 1) % memos_.size();
    return value;
  }
  Real weight(const Run& at) const { return at.factor * power(at.level); }

  // sum_{t < count} e^{-fall t}
  Real geometric(Int128 count) const {
    using std::expm1;
    return expm1(-clamped(fall_ * real(count))) / expm1(-clamped(fall_));
  }
  Real geometric_to_infinity() const {
    using std::expm1;
    return -1 / expm1(-clamped(fall_));
  }

  // Sums value(x, last) over from..to, where value returns the sum over x..last, sets last, and is
  // e^-fall times as much one period on. to = kBeyond: without end.
  template <class Value>
  Real over_periods(Int128 from, Int128 to, Value value) const {
    const auto directly = [&](Int128 x, Int128 end) {
      Real sum = 0;
      while (x <= end) {
        Int128 last = end;
        sum += value(x, last);
        x = last + 1;
      }
      return sum;
    };
    if (from > to) return 0;
    if (to == kBeyond) return directly(from, from + period_ - 1) * geometric_to_infinity();
    const Int128 periods = (to - from + 1) / period_;
    Real sum = directly(from + periods * period_, to);
    if (periods > 0) sum += directly(from, from + period_ - 1) * geometric(periods);
    return sum;
  }

  // Sum of the weights of from..to on the half-line, 0 <= from, to <= cutoff.
  Real mass(Int128 from, Int128 to) const {
    if (from > to) return 0;
    Real sum = over_periods(from, cut_ ? std::min(to, cutoff_ - 1) : to,
                            [&](Int128 x, Int128& last) -> Real {
                              const Run at = run(x);
                              last = std::min(last, at.last);
                              return weight(at) * real(last - x + 1);
                            });
    if (cut_ && to == cutoff_) sum += weight(cell(cutoff_));
    return sum;
  }
  // The sum of the weights of all cells, both signs.
  Real total() const { return 1 + 2 * mass(1, cutoff_); }

  static Real real(Int128 n) { return static_cast<Real>(n); }

  // e^x stays finite up to here.
  static constexpr double kFarthest = std::is_same_v<Real, double> ? 700 : 11000;
  static constexpr Int128 kBeyond = static_cast<Int128>(1) << 120;

 private:
  static constexpr int kLanding = 0, kDip = 1, kEdge = 2;

  struct Memo {
    Int128 level = -1;
    Real value = 0;
  };

  static Real clamped(const Real& x) { return x > kFarthest ? Real(kFarthest) : x; }
  static Real exp_of(const Real& x) {
    using std::exp;
    if constexpr (std::is_same_v<Real, double>) return exp(x);
    return exp(-clamped(-x));
  }

  Int128 period_, half_width_;
  bool cut_;
  Int128 cutoff_;
  Real fall_, edge_;
  Int128 dip_level_;  // of the first dip, and its weight there
  int dip_kind_;
  Real dip_;
  mutable std::array<Memo, 8> memos_;
  mutable std::size_t oldest_ = 0;
};

}  // namespace dpmix
