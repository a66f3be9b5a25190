// The pairs of columns that edges and chords are drawn from, and their exact tables: counted in as
// many passes as they have cells for.
//
// Enters: codes, which are released; then exact counts, pass by pass. Which pairs there are depends
// on codes alone (docs/proofs/tree_model.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/marginal_tables.hpp"

namespace dpmix {

class CandidatePairs {
 public:
  static constexpr double most_cells_of_one = 1 << 16;
  static constexpr double most_cells = 1 << 23;  // of all together

  CandidatePairs() = default;
  // All whose tables are small enough; of too many the smallest.
  CandidatePairs(int classes, std::vector<ColumnCells> columns);

  int left_out() const { return left_out_; }
  // What the next pass counts; nullopt: all is counted.
  std::optional<MarginalTables> next() const;
  void take(std::span<const std::int64_t> exact);

  int count() const { return static_cast<int>(tables_.size()); }
  const MarginalTable& table(int t) const { return tables_[static_cast<std::size_t>(t)]; }
  std::span<const std::int64_t> counts(int t) const;

 private:
  int classes_ = 1, left_out_ = 0;
  std::vector<ColumnCells> columns_;
  std::vector<MarginalTable> tables_;
  std::vector<std::size_t> start_ = {0};  // of each table's counts, and of those that follow
  std::size_t end_of_pass() const;        // tables up to the end of the next pass
  std::size_t taken_ = 0;                 // tables
  std::vector<std::int64_t> counts_;
};

}  // namespace dpmix
