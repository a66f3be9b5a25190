// Rows drawn from a copula: in each class normal numbers with its correlations, whose ranks say
// which row gets which code. Each code is as frequent in its class as was released, but for less
// than one row.
#pragma once

#include <vector>

#include "core/copula/model.hpp"
#include "core/mixture/sampling.hpp"
#include "core/tree_model/block_sampler.hpp"

namespace dpmix {

class CopulaSampler : public BlockSampler {
 public:
  explicit CopulaSampler(const CopulaModel& model);

  void draw(RandomStream& random, int rows) override;

 private:
  std::vector<std::vector<int>> orders_;  // of the codes of each column
  std::vector<GmmSampler> normal_;        // of each class
};

}  // namespace dpmix
