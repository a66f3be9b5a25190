// Rows drawn from a tree model: whole blocks of rows, column after column. Among the rows of a
// block that share a class and the codes of a column's parents, each code is as frequent as its
// probability says, but for less than one row.
#pragma once

#include <vector>

#include "core/tree_model/block_sampler.hpp"

namespace dpmix {

class TreeSampler : public BlockSampler {
 public:
  explicit TreeSampler(const TreeModel& model) : BlockSampler(model, 1 << 17) {}

  void draw(RandomStream& random, int rows) override;

 private:
  void draw_column(RandomStream& random, const ConditionalTable& table);

  std::vector<std::size_t> start_, order_, key_;
  std::vector<int> drawn_;
};

}  // namespace dpmix
