#include "core/tree_model/candidate_pairs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dpmix {

CandidatePairs::CandidatePairs(int classes, std::vector<ColumnCells> columns)
    : classes_(classes), columns_(std::move(columns)) {
  struct Candidate {
    double cells;
    MarginalTable table;
  };
  std::vector<Candidate> candidates;
  std::vector<double> codes;
  for (const ColumnCells& column : columns_) codes.push_back(column.codes());
  for (std::size_t a = 0; a < codes.size(); ++a) {
    for (std::size_t b = a + 1; b < codes.size(); ++b) {
      candidates.push_back(
          {classes * codes[a] * codes[b], {static_cast<int>(a), static_cast<int>(b)}});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& x, const Candidate& y) { return x.cells < y.cells; });
  double cells = 0;
  for (const Candidate& candidate : candidates) {
    cells += candidate.cells;
    if (candidate.cells > most_cells_of_one || cells > most_cells) break;
    tables_.push_back(candidate.table);
    start_.push_back(static_cast<std::size_t>(cells));
  }
  left_out_ = static_cast<int>(candidates.size() - tables_.size());
}

std::size_t CandidatePairs::end_of_pass() const {
  std::size_t end = taken_;
  while (end < tables_.size() && start_[end + 1] - start_[taken_] <= MarginalTables::most_cells) {
    ++end;
  }
  return end;
}

std::optional<MarginalTables> CandidatePairs::next() const {
  if (taken_ == tables_.size()) return std::nullopt;
  const auto first = tables_.begin();
  return MarginalTables(classes_, columns_,
                        {first + static_cast<std::ptrdiff_t>(taken_),
                         first + static_cast<std::ptrdiff_t>(end_of_pass())});
}

void CandidatePairs::take(std::span<const std::int64_t> exact) {
  const std::size_t end = end_of_pass();
  if (exact.size() != start_[end] - start_[taken_]) {
    throw std::logic_error("counts are not those of the pass");
  }
  counts_.insert(counts_.end(), exact.begin(), exact.end());
  taken_ = end;
}

std::span<const std::int64_t> CandidatePairs::counts(int t) const {
  const std::size_t start = start_[static_cast<std::size_t>(t)];
  return std::span(counts_).subspan(start, start_[static_cast<std::size_t>(t) + 1] - start);
}

}  // namespace dpmix
