// A step law cell by cell, straight from its definition, in 113 bits: the check on closed forms.
// For few lattice steps in a sensitivity.
#pragma once

#include <cmath>
#include <cstdlib>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "core/noise/steps/law.hpp"

namespace dpmix::test {

class BruteForce {
 public:
  using Quad = boost::multiprecision::cpp_bin_float_quad;

  explicit BruteForce(const StepLaw& law) {
    const int m = static_cast<int>(law.period);
    cut_ = !std::isinf(law.cutoff);
    const int last = static_cast<int>(cut_ ? law.cutoff : std::ceil(80 / law.fall * m) + 2 * m);
    const int beyond = last + static_cast<int>(law.sensitivity) + 1;
    for (int k = 0; k <= beyond; ++k) weight_.push_back(k <= last ? weight(law, k) : Quad(0));
    Quad total = -weight_[0];
    for (const Quad& w : weight_) total += 2 * w;
    for (Quad& w : weight_) w *= (1 - Quad(law.atom)) / total;
    weight_[0] += law.atom;
  }

  // What brute force misses: a law without end, and differences of equal numbers.
  double left_out() const { return cut_ ? 1e-30 : 1e-25; }

  double delta(double epsilon, int shift) const {
    const Quad e = exp(Quad(epsilon));
    Quad sum = 0;
    for (int k = 1 - size(); k < size(); ++k) {
      const Quad x = at(k) - e * at(k + shift);
      if (x > 0) sum += x;
    }
    return sum.convert_to<double>();
  }
  double moment(int power) const {
    Quad sum = 0;
    for (int k = size() - 1; k > 0; --k) sum += 2 * at(k) * (power == 1 ? Quad(k) : Quad(k) * k);
    return sum.convert_to<double>();
  }
  double tail(int k) const {
    Quad sum = 0;
    for (int i = size() - 1; i > k; --i) sum += 2 * at(i);
    return sum.convert_to<double>();
  }

 private:
  static Quad weight(const StepLaw& law, int k) {
    const int m = static_cast<int>(law.period), level = k / m, i = k % m;
    const Quad stair = exp(-Quad(law.fall) * level), next = exp(-Quad(law.fall) * (level + 1));
    Quad w;
    if (i <= law.half_width) {
      w = stair;
    } else if (i < m - law.half_width) {
      w = next * law.dip;
    } else {
      w = next;
    }
    return k == law.cutoff ? w * law.edge : w;
  }
  int size() const { return static_cast<int>(weight_.size()); }
  Quad at(int k) const {
    const int distance = std::abs(k);
    return distance < size() ? weight_[static_cast<std::size_t>(distance)] : Quad(0);
  }

  bool cut_;
  std::vector<Quad> weight_;
};

}  // namespace dpmix::test
