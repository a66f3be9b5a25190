// Bounds of a column from a noisy histogram of it: where what is clipped weighs as much as the
// noise that wider bounds cost (Amin, Kulesza, Munoz Medina, Vassilvitskii 2019, section 4).
//
// Enters: noisy counts of public bins, and what is public. Leaves: bounds, in the column's units.
// Nothing here reads a row: all of it is post-processing of the counts.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace dpmix {

// Six bins for each power of 2 from 2^-20 to 2^62, on both sides of 0, one around it, and one
// beyond each end, whose edge is infinite. whole: bins of whole numbers from 1 to 2^62.
std::vector<double> bound_bins(bool whole);

struct NoisyBins {
  std::span<const double> edges;   // one more than there are counts, as bound_bins() has them
  std::span<const double> counts;  // noisy
  double deviation;                // of that noise, whose tails are no heavier than Laplace's
  bool whole;                      // values are whole numbers
};

struct BoundChoice {
  double lower, upper;  // lower < upper; two digits, rounded outwards
  double below, above;  // noisy numbers of rows that are clipped
  double rows;          // noisy number of rows in bins that are believed to have some
};

// row_noise: the deviation of a planned sum's noise, for bounds of -1 to 1. Nothing: the noise
// hides where the rows are.
std::optional<BoundChoice> choose_bounds(const NoisyBins& bins, double row_noise);

// The edges of bins of privacy units by their number of rows: 0, which no unit has, then six bins
// for each power of 2 up to the most that an owner can declare, and one beyond.
std::vector<double> unit_bins();

struct UnitBound {
  int rows;                       // of a unit, at most; two digits, rounded up
  double units_above, rows_lost;  // noisy: units with more, and their rows beyond
  double units, rows_in_all;      // noisy, in bins that are believed to have some
};

// How many rows of a unit a release should use: where the rows lost weigh as much in a count as the
// noise that more would cost. bins: as unit_bins() has them, the first count 0. row_noise: the
// deviation of a planned count's noise, for one row of each unit. Nothing: noise hides the units.
std::optional<UnitBound> choose_unit_rows(const NoisyBins& bins, double row_noise);

}  // namespace dpmix
