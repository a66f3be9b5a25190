// A released regression as one array of doubles, the form in which it is stored.
#pragma once

#include "core/regression/linear_fit.hpp"

namespace dpmix {

struct RegressionModel {
  struct Class {
    double rows, variance, ridge;
    std::vector<double> coded;  // coefficients of (1, z), for the target in [-1, 1]
    std::vector<Coefficient> coefficients;
    std::optional<NoisySums> sums;  // where intervals are exact sets
  };
  Design design;
  std::vector<Class> classes;
  RegressionKind kind = RegressionKind::linear;
  bool coordinate = false;  // logistic, by coordinate descent: no intervals

  void add(const LinearFit& fit);
  // What the target is expected to be in a row: x as Design::code() takes it, without the target.
  // Logistic: its log-odds. NaN where the row misses something.
  double predict(std::size_t k, const double* x) const;

  std::vector<double> pack() const;
  static RegressionModel unpack(std::span<const double> packed);  // Error PV005 when damaged
};

}  // namespace dpmix
