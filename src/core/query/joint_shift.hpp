// How far one row moves all statistics of a query together: less than each of them at its worst,
// where a row that does its worst to one cannot do so to another.
//
// Enters: each statistic's column, filter and lattice, and which filters exclude each other.
// Leaves: a bound on the sum of (change / l2)^2 over all statistics and cells, between neighbours
// that differ in one row. Never more than there are statistics. And which counts of rows cost
// nothing beside counts of values, if they are drawn together. Proof: docs/proofs/query_joint.md.
#pragma once

#include <functional>
#include <span>

#include "core/base/adjacency.hpp"
#include "core/input/lattice.hpp"

namespace dpmix {

enum class RowPart {
  presence,  // a count of rows: 1 for each
  value,     // a count of values: 1 where there is one
  lattice,   // a sum: the index of the value where there is one
  other,     // anything that one row moves by l2 at most
};

struct JointStatistic {
  RowPart part;
  int column;  // equal: missing in the same rows
  int filter;
  Lattice lattice;
  double l2;  // of StatisticShift
};

// The counts that a statistic of a column may share noise with: its rows and its column's values,
// counted under the same filter.
struct Sharing {
  int rows = -1;    // the count of rows; -1: there is none
  int values = -1;  // the count of values: this statistic or another of its column
};

struct JointPrice {
  double squares;                         // joint_squares()
  std::span<const Sharing> sharing = {};  // of each statistic; empty: none shares
};

// excludes(f, g): no row passes both filters. Symmetric; of different filters only.
double joint_squares(std::span<const JointStatistic> statistics, Adjacency adjacency, bool grouped,
                     const std::function<bool(int, int)>& excludes);
// Finds the sharing of each statistic: under `replace` none shares.
void find_sharing(std::span<const JointStatistic> statistics, Adjacency adjacency,
                  std::span<Sharing> sharing);

}  // namespace dpmix
