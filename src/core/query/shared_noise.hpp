// Counts of rows whose Gaussian noise is made of that of counts of values: a row has a value or has
// none, so the count of rows tells no more than that of values and that of missing ones.
//
// Enters: of each statistic its l2 and the deviation of its noise, and which share (joint_shift).
// Leaves: noise of a count of rows = sum of weight * noise of each count of values + a rest of its
// own; and what the draws cost together. Proof: docs/proofs/query_joint.md.
#pragma once

#include <span>
#include <vector>

#include "core/query/joint_shift.hpp"

namespace dpmix {

struct Draw {        // of a statistic
  double l2;         // how far a row moves it
  double deviation;  // of its noise; 0: it is not drawn
};

struct SharedCount {  // of rows
  struct Part {       // a count of values
    int values;
    double weight;  // they add up to 1
  };
  int rows;
  std::vector<Part> parts = {};
  std::vector<int> columns = {};  // all statistics drawn of the columns of these values
  double column_squares = 0;      // what they cost, as mu^2
  double shared_variance = 0;     // of the rows' noise: what the parts make
  double free_rest = 0;           // the variance of its rest at which it costs nothing
};
// Each count of rows with columns that share with it, of which the values are drawn. Its own
// deviation is not looked at.
std::vector<SharedCount> shared_counts(std::span<const Draw> draws,
                                       std::span<const Sharing> sharing);
// What is its own of the noise of a count of rows; 0: nothing, or less than the parts have.
// parts: weight * deviation of each.
double rest_deviation(double rows_deviation, std::span<const double> parts);

// The deviation of a statistic, in units of l2 / mu, where all spend mu together.
struct NoiseShare {
  double deviation;
  int rows = -1;      // of a count of values: the count of rows that has a part of its noise
  double weight = 0;  // which part
};
std::vector<NoiseShare> noise_shares(std::span<const double> l2, const JointPrice& joint);

struct DrawsPrice {
  double squares;              // mu^2
  std::vector<double> weight;  // of each statistic, as in NoiseShare; 0: its noise is not shared
};
// The price of draws that share their noise or don't, whichever costs less.
DrawsPrice price_of_draws(std::span<const Draw> draws, const JointPrice& joint);

}  // namespace dpmix
