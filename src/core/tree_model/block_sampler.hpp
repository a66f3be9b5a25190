// Rows drawn from released columns, block by block: first the codes of whole columns, which is what
// models differ in, then for each code a value.
#pragma once

#include <vector>

#include "core/random/stream.hpp"
#include "core/tree_model/law.hpp"

namespace dpmix {

class BlockSampler {
 public:
  virtual ~BlockSampler() = default;

  int most_rows() const { return most_rows_; }  // of a block
  // A block of rows; polls.
  virtual void draw(RandomStream& random, int rows) = 0;

  int columns() const { return model_.row_columns(); }  // of a row
  bool ordered(int column) const;                       // else categories
  int label(int row) const { return labels_[static_cast<std::size_t>(row)]; }
  // A row, which keeps the model's rules.
  void values(RandomStream& random, int row, std::span<double> out);
  // Of a column of the model. NaN: missing. Of categories, their number. Of whole numbers, one of
  // them.
  double value(RandomStream& random, int row, int column) const;

 protected:
  BlockSampler(const TreeModel& model, int most_rows);

  const TreeModel& model_;
  TreeLaw law_;
  std::vector<int> labels_;
  std::vector<std::vector<int>> codes_;  // of each column, of all rows

 private:
  int most_rows_;
  // A code of a column: its cells and their running sums.
  struct CodeCells {
    std::vector<int> cell;
    std::vector<double> below;
  };
  std::vector<std::vector<CodeCells>> code_cells_;
  std::vector<double> measured_;  // of a row

  double value_in(RandomStream& random, int column, int cell) const;
  double present_value(RandomStream& random, int column) const;
};

// So many codes, ascending, each floor or ceil of its share of the rows: systematic sampling (Madow
// & Madow 1944). As many points at distance 1 with a random start; each code gets those between the
// running sums of shares before it and after it.
void apportion(RandomStream& random, std::span<const double> probability, std::size_t rows,
               std::vector<int>& codes);
void shuffle(RandomStream& random, std::span<int> values);

}  // namespace dpmix
