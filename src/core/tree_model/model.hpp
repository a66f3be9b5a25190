// A stored tree model: its columns and its tables; all that is drawn and told comes from these.
#pragma once

#include <vector>

#include "core/input/row_rules.hpp"
#include "core/tree_model/column_cut.hpp"
#include "core/tree_model/fit.hpp"
#include "core/tree_model/graph.hpp"

namespace dpmix {

constexpr double most_triangle_cells = 1 << 18;  // of three columns of a triangle, by class

struct TreeModel {
  std::vector<CutColumn> columns;
  TreeTables tables;
  RowRules rules = {};  // of the rows that the columns are measured of; empty: these are a row

  // Columns of a row, and which of the model's is measured of one; -1: a sum.
  int row_columns() const;
  int measured_of(int column) const { return rules.empty() ? column : rules.measured_of(column); }
  int row_column(int measured) const {
    return rules.empty() ? measured : rules.column_of(measured);
  }

  ColumnGraph graph() const;
  // How much each pair of the graph tells of each other within classes, in nats.
  double mutual_information(const PairTable& pair) const;

  // The model as numbers, and back. unpack: Error PV005 where they are no model.
  std::vector<double> pack() const;
  static TreeModel unpack(std::span<const double> packed);
};

}  // namespace dpmix
