// Running totals by a square root of summation.
//
// The totals of T steps are A x, A the lower-triangular matrix of ones. A = C C for the Toeplitz C
// whose first column holds the coefficients of (1 - z)^(-1/2): what is measured is C x plus
// independent noise, and what is told is the total that these measurements say. Of all Toeplitz
// factorisations it has the least worst error. Here C is rounded to whole numbers of 64ths, so that
// a measurement is an integer combination of integers; the estimates use the rounded one.
// Source: Fichtenberger, Henzinger, Upadhyay, "Constant matters" (2023); Honaker (2015) and Chan,
// Shi, Song (2010) for the binary tree that it replaces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dpmix {

constexpr int kCounterUnits = 64;  // of a weight
constexpr int kMostCounterSteps = 10000;

class CounterFactorisation {
 public:
  explicit CounterFactorisation(int steps);  // 1 to kMostCounterSteps

  int steps() const { return static_cast<int>(weight_.size()); }
  // What a measurement multiplies a block by that entered `age` steps before, in 64ths.
  std::int64_t weight(int age) const { return weight_[static_cast<std::size_t>(age)]; }
  // What a block pays over all steps, times that of a plain release: the sum of squared weights.
  double life() const { return life_; }
  // What a block pays from this age on.
  double life_from(int age) const;

  // The total of steps from+1 .. to, from measurements 1 .. to in units of the statistic.
  double estimate(std::span<const double> measured, int from, int to) const;
  // The variance of that estimate, where each measurement's is 1.
  double variance(int from, int to) const;
  // The error of that estimate is beyond this with a chance of 5% at most, where each measurement
  // has independent normal noise of this deviation, rounded to whole numbers.
  double reach_95(int from, int to, double deviation) const;

 private:
  double multiplier(int from, int to, int step) const;

  std::vector<std::int64_t> weight_;
  std::vector<double> sums_;  // of the coefficients of the inverse of C: total = sum of these * y
  double life_ = 0;
};

}  // namespace dpmix
