// Answers of all grouping sets that agree with each other, from the sets' noisy tables:
// post-processing.
//
// Enters: the precision of each set's table, and each table once. Leaves: the least-squares table
// of each set: unbiased, of the variance that CubeWorkload::variances() says, and of the least
// there is among linear unbiased answers. Its sums over a key are the table without that key.
// Source and proof: workload.hpp.
#pragma once

#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/cube/workload.hpp"

namespace dpmix {

class CubeLeastSquares {
 public:
  // precision: of each set's table, above 0. The workload outlives this.
  CubeLeastSquares(const CubeWorkload& workload, std::span<const double> precision);

  void add(std::size_t set, std::span<const double> table);

  // The least-squares table of a set, once the tables of all sets are added.
  std::vector<double> answer(std::size_t set) const;
  // The same for any keys that a set has, whether or not they are a set: CubeWorkload::known.
  std::vector<double> marginal(KeySet keys) const;
  // The same in whole numbers that add up exactly, as the answers do: sums over the first cells of
  // each key are rounded, and cells are the differences of these. A cell of k keys is off by 2^k /
  // 2 at most.
  std::vector<Int128> whole_answer(std::size_t set) const {
    return whole_marginal(workload_.set(set));
  }
  std::vector<Int128> whole_marginal(KeySet keys) const;
  // How far roundings may have moved an answer of the set: those made here, and those of the tables
  // before they were added, by half a unit of their last place.
  double slack(std::size_t set) const { return slack_of_cell(workload_.set(set)); }
  double slack_of_cell(KeySet keys) const;

 private:
  struct Table;
  Table all_answers(KeySet keys) const;

  const CubeWorkload& workload_;
  std::vector<double> precision_, residual_precision_;
  std::vector<std::vector<double>> residual_;  // weighted by precision
  double largest_ = 0;                         // sum of the magnitudes of a table's cells
};

}  // namespace dpmix
