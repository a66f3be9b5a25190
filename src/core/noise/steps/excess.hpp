// The hockey-stick divergence of a step law and its shift. Proof: docs/proofs/step_law.md.
#pragma once

#include "core/noise/steps/shape.hpp"
#include "core/noise/steps/worst_shifts.hpp"

#include <algorithm>

namespace dpmix {

template <class Real>
class StepExcess {
 public:
  StepExcess(const StepLaw& law, double epsilon)
      : shape_(law), epsilon_(epsilon), fall_(law.fall), unimodal_(is_unimodal(law)) {
    total_ = shape_.total();
    atom_ = law.atom;
    atom_weight_ = atom_ * total_ / (1 - atom_);
  }

  // delta(shift), 1 <= shift <= sensitivity.
  Real delta(Int128 shift) const {
    const Real sum = centre(shift) + right(shift) + left(shift) + middle(shift);
    return sum * (1 - atom_) / total_;
  }

 private:
  using Run = typename StepShape<Real>::Run;

  // w(a) - e^epsilon w(c). Where the two runs are of one kind its sign is exact; elsewhere it errs
  // upwards.
  Real gap(const Run& a, const Run& c) const {
    using std::exp;
    using std::expm1;
    Real exponent = epsilon_ - fall_ * shape_.real(c.level - a.level);
    if (exponent > StepShape<Real>::kFarthest) exponent = StepShape<Real>::kFarthest;
    const Real scale = shape_.weight(a);
    if (a.kind == c.kind) return -scale * expm1(exponent);
    const Real ratio = exp(exponent) * (c.factor / a.factor);
    return scale * (1 - ratio * (1 - Real(kMargin)));  // as a double, 1 - 2^-80 is 1
  }
  Real positive_gap(const Run& a, const Run& c) const {
    const Real value = gap(a, c);
    return value > 0 ? value : Real(0);
  }

  // k = 0, the only cell with the atom. (k = -shift never gains: w(shift) <= w(0).)
  Real centre(Int128 shift) const {
    const Run at = shape_.cell(0);
    const Real value = shift > shape_.cutoff() ? Real(1) : gap(at, shape_.cell(shift));
    const Real size = value < 0 ? Real(-value) : value;  // for the difference may cancel
    const Real with_atom = value + atom_weight_ + kMargin * (size + atom_weight_);
    return with_atom > 0 ? with_atom : Real(0);
  }
  // k >= 1, compared with k + shift.
  Real right(Int128 shift) const {
    const Int128 cutoff = shape_.cutoff();
    if (!shape_.is_cut()) return outwards(0, shift, StepShape<Real>::kBeyond);
    Real sum = shape_.mass(std::max<Int128>(1, cutoff - shift + 1), cutoff);
    if (cutoff - shift >= 1) {
      sum += positive_gap(shape_.cell(cutoff - shift), shape_.cell(cutoff));
      sum += outwards(0, shift, cutoff - shift - 1);
    }
    return sum;
  }
  // k = -shift - y, y >= 1, compared with -y.
  Real left(Int128 shift) const {
    if (unimodal_) return 0;
    const Int128 cutoff = shape_.cutoff();
    if (!shape_.is_cut()) return outwards(shift, 0, StepShape<Real>::kBeyond);
    if (cutoff - shift < 1) return 0;
    return positive_gap(shape_.cell(cutoff), shape_.cell(cutoff - shift)) +
           outwards(shift, 0, cutoff - shift - 1);
  }
  // x + a_offset compared with x + c_offset, x = 1..to: the way out, where both fall alike.
  Real outwards(Int128 a_offset, Int128 c_offset, Int128 to) const {
    return shape_.over_periods(1, to, [&](Int128 x, Int128& last) -> Real {
      const Run a = shape_.run(x + a_offset), c = shape_.run(x + c_offset);
      last = std::min({last, a.last - a_offset, c.last - c_offset});
      return positive_gap(a, c) * shape_.real(last - x + 1);
    });
  }

  // k = -n, 1 <= n < shift, compared with shift - n.
  Real middle(Int128 shift) const {
    const Int128 cutoff = shape_.cutoff(), most = std::min(shift - 1, cutoff);
    Real sum = 0;
    if (shape_.is_cut()) {
      sum += shape_.mass(1, std::min(shift - cutoff - 1, most));
      const Int128 n = shift - cutoff;  // falls on the edge
      if (n >= 1 && n <= most) sum += positive_gap(shape_.cell(n), shape_.cell(cutoff));
      if (cutoff < shift && cutoff > n) {
        sum += positive_gap(shape_.cell(cutoff), shape_.cell(shift - cutoff));
      }
    }
    const Int128 from = std::max<Int128>(1, shift - cutoff + 1),
                 to = std::min(shift - 1, cutoff - 1);
    if (from > to) return sum;
    return sum + (shape_.period() == 1 ? crossing(shift, from, to) : inwards(shift, from, to));
  }
  Real inwards(Int128 shift, Int128 from, Int128 to) const {
    Real sum = 0;
    while (from <= to) {
      const Run a = shape_.run(from), c = shape_.run(shift - from);
      const Int128 last = std::min({to, a.last, shift - c.first});
      sum += positive_gap(a, c) * shape_.real(last - from + 1);
      from = last + 1;
    }
    return sum;
  }
  // Period 1: sum over n of (q^n - e^epsilon q^{shift - n})_+, which is the largest over `last` of
  // the sum over from..last.
  Real crossing(Int128 shift, Int128 from, Int128 to) const {
    using std::expm1;
    using std::floor;
    const Real g = fall_ * shape_.real(shift - 2 * from) - epsilon_;
    if (!(g > 0)) return 0;
    Real best = 0;
    const Real near = floor(g / (2 * fall_));
    const Int128 middle = near < shape_.real(to - from) ? static_cast<Int128>(near) : to - from;
    for (Int128 i = std::max<Int128>(0, middle - 1); i <= std::min(middle + 1, to - from); ++i) {
      const Real exponent = g - fall_ * shape_.real(i);
      if (!(exponent > 0)) continue;
      const Real loss =
          -expm1(exponent > StepShape<Real>::kFarthest ? Real(-StepShape<Real>::kFarthest)
                                                       : Real(-exponent));
      best = std::max<Real>(best, shape_.geometric(i + 1) * loss);
    }
    return shape_.power(from) * best;
  }

  static constexpr double kMargin = std::is_same_v<Real, double> ? 0 : 0x1p-80;

  StepShape<Real> shape_;
  Real epsilon_, fall_, total_, atom_, atom_weight_;
  bool unimodal_;
};

}  // namespace dpmix
