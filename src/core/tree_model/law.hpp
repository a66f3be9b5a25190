// The joint law of a tree model, in closed form: class, then column after column given at most two
// others.
#pragma once

#include <span>
#include <vector>

#include "core/tree_model/model.hpp"

namespace dpmix {

// P(code | class, parents' codes), row after row, each summing up to 1: rows by class, then by the
// first parent's code, then by the second's.
struct ConditionalTable {
  int column = 0, codes = 0;
  std::vector<int> parents;
  std::vector<double> probability;

  // row: of codes of all columns.
  std::size_t row(int k, std::span<const int> codes_of, std::span<const int> sizes) const;
};

class TreeLaw {
 public:
  explicit TreeLaw(const TreeModel& model);

  int columns() const { return static_cast<int>(codes_.size()); }
  std::span<const int> codes() const { return codes_; }
  const std::vector<double>& classes() const { return classes_; }  // probabilities
  // Each column's parents come before it.
  const std::vector<ConditionalTable>& tables() const { return tables_; }
  // The probability of each cell of a column given its code.
  const std::vector<double>& cells(int column) const {
    return cells_[static_cast<std::size_t>(column)];
  }

  // The probability of class k and these codes together.
  double probability(int k, std::span<const int> codes) const;

 private:
  std::vector<int> codes_;
  std::vector<double> classes_;
  std::vector<ConditionalTable> tables_;
  std::vector<std::vector<double>> cells_;
};

}  // namespace dpmix
