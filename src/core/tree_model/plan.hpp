// What the release of a tree model costs, and how its budget is shared: known before any row is
// read.
//
// Enters: public numbers. Leaves: the noise of each kind of table and the rate of the draws of
// edges, all of them together mu-GDP, mu being that of (epsilon, delta), and what the release adds
// to a table's accounts. Proof: docs/proofs/tree_model.md. Source: McKenna, Miklau, Sheldon,
// "Winning the NIST contest" (MST, 2021), within classes, with chords, exact draws and Gaussian-DP.
#pragma once

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"
#include "core/random/exact_rate.hpp"

namespace dpmix {

struct TreeRequest {
  int columns = 1;  // besides the label
  // Columns with private bins: how many there are, and levels of fine counts over all of them.
  int binned = 0, fine_levels = 0;
  double epsilon, delta;
  Adjacency adjacency = Adjacency::add_remove;
  int rows_per_unit = 1;  // at most, of a privacy unit
  Accounting accounting;  // of the table
};

struct TreePlan {
  int columns, binned, fine_levels;  // of the request
  double mu;                         // of the release
  // Deviations of the noise of one cell: of fine counts, of counts within full fine cells, of
  // single columns, of edges, of chords; of single columns once more, in place of chords, and in
  // place of edges and chords.
  double fine_stddev, zoom_stddev, single_stddev, edge_stddev, chord_stddev;
  double for_chords_stddev, for_pairs_stddev;
  int edges, chords;    // at most
  ExactRate draw_rate;  // per unit of a score: the exponential mechanism's
  Cost own;             // in what the table's accountant adds up
};

// Error PV005: epsilon or delta out of the range of calibration, delta 0, counts out of range.
TreePlan plan_tree(const TreeRequest& request);
// The plan of single columns alone, without pairs, mu-GDP all together: less than what (epsilon,
// delta) of the request allow, the rest of which is for others.
TreePlan plan_columns(const TreeRequest& request, double mu);

}  // namespace dpmix
