// log f of quasi-Gaussian noise and its slope, with bounds on the error of the floating point that
// hold for every scale within 2^-50 of the law's (docs/proofs/quasi_gaussian.md, "Floating point").
//
// On x = |z|, f is proportional to e^h, h = -x^2/2s^2 + w + log(1 + e^a) = -(x-1)^2/2s^2 +
// log(1 + e^-a), a = (x - 1/2)/s^2 - w; and h' = (p - x)/s^2 where p = 1/(1 + e^-a), the share of
// the side component, increases in x.
#pragma once

#include <cmath>
#include <numbers>

#include "core/base/normal_tail.hpp"
#include "core/noise/gaussian/quasi.hpp"

namespace dpmix {

class QuasiLog {
 public:
  static constexpr double kTiny = 1e-304;  // covers underflows

  explicit QuasiLog(const QuasiGaussian& law)
      : s_(law.scale), w_(law.weight_epsilon), precision_(1 / (law.scale * law.scale)) {
    log_centre_ = -std::log1p(2 * std::exp(-w_) * upper_tail(-1 / s_));
    log_peak_ = -std::log(s_ * std::sqrt(2 * std::numbers::pi));
  }

  // A point x >= 0, with whatever is small kept to full relative precision, because log f(z) -
  // log f(z + 1) can equal w to all digits of a double on half of the line.
  struct Point {
    double x;
    int centre;        // 1 if a > 0, else 0: the form of h of the smaller logarithm
    double logarithm;  // log(1 + e^-|a|)
    double rest;       // p - centre
    double relative;   // the relative error of logarithm and rest
  };
  Point at(double x) const {
    const double a = (x - 0.5) * precision_ - w_, e = std::exp(-std::fabs(a));
    const double rest = e / (1 + e);
    const double relative = 0x1p-47 * ((x + 1) * precision_ + w_ + 1);
    return {x, a > 0 ? 1 : 0, std::log1p(e), a > 0 ? -rest : rest, relative};
  }

  // h(from) - h(to) - less, given to.x - from.x and to.x + from.x: one of them is known exactly,
  // the other up to its own rounding.
  struct Fall {
    double value, error;
  };
  Fall fall(const Point& from, const Point& to, double exact, double other, bool exact_is_sum,
            double less) const {
    const int apart = from.centre - to.centre, both = from.centre + to.centre;
    const double known = exact_is_sum ? exact - both : exact + apart;
    const double rounded = exact_is_sum ? other + apart : other - both;
    const double quadratic = 0.5 * precision_ * known * rounded;
    const double constant = -w_ * apart - less;
    const double value = (quadratic + constant) + (from.logarithm - to.logarithm);
    const double error = 0x1p-46 * (0.5 * precision_ * std::fabs(known) * (std::fabs(other) + 2)) +
                         0x1p-51 * std::fabs(constant) + from.relative * from.logarithm +
                         to.relative * to.logarithm + kTiny;
    return {value, error};
  }

  // log f, to 1e-4 absolutely.
  double log_density(const Point& point) const {
    const double d = point.x - point.centre;
    return log_weight(point.centre) + log_peak_ - 0.5 * d * d * precision_ + point.logarithm;
  }
  // The log weight of N(centre, s^2) on z > 0, centre 0 or 1.
  double log_weight(int centre) const { return log_centre_ - centre * w_; }

  double scale() const { return s_; }
  double weight_epsilon() const { return w_; }
  double precision() const { return precision_; }

 private:
  double s_, w_, precision_;
  double log_centre_, log_peak_;
};

}  // namespace dpmix
