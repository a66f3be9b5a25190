// Bounds of an expression over a row, from the bounds of what it is made of.
//
// Enters: intervals of doubles, infinite ends where nothing is known. Leaves: an interval in which
// evaluate(operation, a, b) lies for all a, b of the arguments' intervals, as the doubles that are
// computed, whenever it is a number at all (NaN and no value are missing, and in no interval).
// Operations that are rounded correctly are monotone as computed, so their ends are the very ends;
// those of the C library (power, logarithms, exponential, cube root) go outwards by some units in
// the last place. Only the error of answers rests on this: their privacy rests on the lattice,
// which clamps whatever comes.
#pragma once

#include <limits>
#include <span>

#include "core/input/total_arithmetic.hpp"

namespace dpmix {

struct ValueInterval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool integral = false;  // whole numbers only

  bool finite() const { return std::isfinite(lower) && std::isfinite(upper); }
  bool contains(double x) const { return lower <= x && x <= upper; }
  bool operator==(const ValueInterval&) const = default;
};

ValueInterval point(double value);
// An interval of whole numbers: the bounds are moved inwards to whole numbers, where one lies
// between them.
ValueInterval whole(double lower, double upper);

ValueInterval interval_of(RowOperation operation, const ValueInterval& a,
                          const ValueInterval& b = {});

// The least that holds both.
ValueInterval hull(const ValueInterval& a, const ValueInterval& b);

// GREATEST and LEAST, which pass over what is NULL. LEAST passes over NaN too, GREATEST returns it.
struct ExtremeArgument {
  ValueInterval interval;
  bool present;  // never NULL nor NaN
};
ValueInterval greatest_of(std::span<const ExtremeArgument> arguments);
ValueInterval least_of(std::span<const ExtremeArgument> arguments);

}  // namespace dpmix
