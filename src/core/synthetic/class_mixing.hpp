// How each class is mixed, from noisy counts: how many rows, of how many records each, and whether
// that is of any use. All of it is a function of the noisy counts and public numbers, so that it
// costs nothing (plan_classes() in cda.hpp is the whole).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/synthetic/cda.hpp"

namespace dpmix {

// Everything about a class's synthetic rows; public once the noisy counts are.
struct MixedClass {
  std::int64_t first, rows;  // its place among the release's rows; may be none
  int mix;                   // sums are divided by it; a smaller class's noisy count, at least 1
  double exponent;           // a record stays out of a row with probability e^-exponent, exactly
  double rate;               // 1 - e^-exponent, rounded up
  double sigma;              // deviation of the noise on a coordinate of a sum, in steps

  // The same on a coordinate of a synthetic row, in half widths.
  double noise() const;
};
std::vector<MixedClass> plan_classes(const CdaPlan& plan, std::span<const std::int64_t> counts);

// Rows in proportion to counts >= 0, `rows` in all, by largest remainders, the first of equal ones
// first; some may be 0. Balanced where all counts are 0.
std::vector<std::int64_t> proportional_rows(std::int64_t rows,
                                            std::span<const std::int64_t> counts);

// How many classes have rows (`of`), and in how many of them nothing can be seen in single rows:
// their noise exceeds the bounds, or, demixed, would hide the spread even of a column that is at
// its bounds only. And in how many averages over all rows are no better. Told from public numbers
// and noisy counts.
struct UselessClasses {
  int of, rows, averages;
};
UselessClasses useless_classes(std::span<const MixedClass> classes, int coordinates, Demix demix);

}  // namespace dpmix
