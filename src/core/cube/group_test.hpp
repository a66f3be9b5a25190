// Do groups differ, in the shares of an outcome or in the mean of a number? Tests of noisy tables.
//
// Enters: noisy numbers of each group, and the covariance of their noise. Leaves: a statistic that
// has a chi-squared law where all groups are alike, and the chance that it is so large then. With
// a common rate r, sums less r times sizes have the mean 0; they are linear in what is released,
// whatever a group's size seems to be, so nothing is divided by a noisy number. Their covariance
// is that of sampling, at the largest that the noise leaves possible (of all groups together but
// for a chance of kNuisance, which is added to the p-value), and that of the noise. Of all common
// rates the one that suits best counts: min chi-squared (Neyman 1949). docs/proofs/group_tests.md
#pragma once

#include <optional>
#include <vector>

#include "core/algebra/matrix.hpp"

namespace dpmix {

constexpr double kNuisance = 0.005;
constexpr int kMostTestCells = 400;  // groups times outcomes: a matrix of so many rows

// Counts of groups (rows) by outcome (columns), two or more of each, and the covariance of their
// noise, the cells of a group after each other.
struct OutcomeCounts {
  Matrix count;
  Matrix noise;
};

// Of values w between -1 and 1 in each group: how many, their sums and the sums of their squares.
struct GroupMoments {
  Vector size, sum, squares;
  Matrix noise;  // covariance of a number that is released of each group, for deviation 1
  // Deviations; noise of squares may go with that of sizes.
  double size_stddev, sum_stddev, squares_stddev;
};

struct GroupTest {
  double statistic;
  int degrees;
  double p_value;
};
GroupTest test_of_outcomes(const OutcomeCounts& counts);
GroupTest test_of_means(const GroupMoments& moments);

// Of two groups: the first one's share (of the last of two outcomes), or mean, less that of the
// second. What the test at 1 - level does not contradict lies within; both ends are those of what
// is possible where it contradicts nothing. 0 < level < 1 - kNuisance.
struct GroupDifference {
  double estimate, low, high;
};
GroupDifference difference_of_shares(const OutcomeCounts& counts, double level);
GroupDifference difference_of_means(const GroupMoments& moments, double level);

}  // namespace dpmix
