// From noisy counts to how each class is mixed: how many rows, of how many records each, and
// whether that is of any use. All of it is a function of the noisy counts and public numbers, so
// that it costs nothing (plan_classes() in cda.hpp is the whole).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/synthetic/cda.hpp"

namespace dpmix {

constexpr int most_mixed = 10'000;

// In proportion to counts >= 0, `rows` in all, by largest remainders, the first of equal ones
// first; some may be 0. Balanced where all counts are 0.
std::vector<std::int64_t> proportional_rows(std::int64_t rows,
                                            std::span<const std::int64_t> counts);

// Of how many classes with rows (`of`) nothing can be seen in single rows: their noise exceeds the
// bounds, or, demixed, would hide the spread even of a column that is at its bounds only. And of
// how many averages over all rows are no better. Told from public numbers and noisy counts.
struct UselessClasses {
  int of, rows, averages;
};
UselessClasses useless_classes(std::span<const MixedClass> classes, int coordinates, Demix demix);

}  // namespace dpmix
