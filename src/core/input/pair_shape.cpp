#include "core/input/pair_shape.hpp"

#include <cmath>

#include "core/base/packed_reader.hpp"

namespace dpmix {
namespace {

constexpr PackedReader::Refusal kRefusal = {
    .message = "invalid shape of tables of pairs",
    .detail =
        "It has: columns (1 to 1600), whether single columns are counted and whether pairs "
        "are (0 or 1); lower, upper and cells of each column; then the scores of a "
        "classifier, or none. There are at most 2^20 counts.",
    .hint = "Use the layout in the comment on dpmix_internal.pair_counts."};

}  // namespace

std::vector<PairCells> PairShape::tables() const {
  std::vector<PairCells> out;
  const int d = static_cast<int>(columns.size());
  int first = 0;
  const auto add = [&](int column, int other, int cells) {
    out.push_back({column, other, first, cells});
    first += cells;
  };
  const auto size = [&](int column) { return columns[static_cast<std::size_t>(column)].size(); };
  for (int i = 0; singles && i < d; ++i) add(i, -1, size(i));
  for (int i = 0; pairs && i < d; ++i) {
    for (int j = i + 1; j < d; ++j) add(i, j, size(i) * size(j));
  }
  return out;
}

std::int64_t PairShape::bins() const {
  std::int64_t sum = 0, squares = 0;
  for (const Column& column : columns) {
    sum += column.size();
    squares += std::int64_t{column.size()} * column.size();
  }
  return (singles ? sum : 0) + (pairs ? (sum * sum - squares) / 2 : 0) + (scores.empty() ? 0 : 2);
}

std::size_t PairShape::score_count() const {
  std::size_t rows = 1;
  for (const Column& column : columns) rows += static_cast<std::size_t>(column.size());
  rows -= static_cast<std::size_t>(columns.back().size());
  return rows * static_cast<std::size_t>(columns.back().cells);
}

std::vector<double> PairShape::pack() const {
  std::vector<double> packed = {static_cast<double>(columns.size()), singles ? 1. : 0.,
                                pairs ? 1. : 0.};
  for (const Column& column : columns) {
    packed.insert(packed.end(), {column.lower, column.upper, static_cast<double>(column.cells)});
  }
  packed.insert(packed.end(), scores.begin(), scores.end());
  return packed;
}

PairShape PairShape::unpack(std::span<const double> packed) {
  PackedReader read(packed, kRefusal);
  PairShape shape;
  const int columns = read.whole(1, max_columns);
  shape.singles = read.whole(0, 1) == 1;
  shape.pairs = read.whole(0, 1) == 1;
  for (int j = 0; j < columns; ++j) {
    const double lower = read.number(), upper = read.number();
    shape.columns.push_back({lower, upper, read.whole(1, max_bins)});
  }
  if (!read.done()) {
    for (const int score : read.wholes(shape.score_count(), -(1 << 30), 1 << 30)) {
      shape.scores.push_back(score);
    }
  }
  read.end();
  read.require(shape.bins() >= 1 && shape.bins() <= max_bins);
  return shape;
}

PairCounter::PairCounter(std::span<const double> packed, CellPlacer* placers) : placers_(placers) {
  const PairShape shape = PairShape::unpack(packed);
  columns_ = static_cast<int>(shape.columns.size());
  bins_ = static_cast<int>(shape.bins());
  singles_ = shape.singles;
  pairs_ = shape.pairs;
  for (const PairShape::Column& column : shape.columns) {
    *placers++ = cell_placer(column.lower, column.upper, column.cells);
  }
  scores_ = packed.last(shape.scores.size());
}

void PairCounter::add(const double* x, std::int64_t* counts) const {
  int code[PairShape::max_columns];
  for (int i = 0; i < columns_; ++i) {
    code[i] = x[i] == x[i] ? placers_[i].place(x[i]) : size(i) - 1;
  }
  for (int i = 0; singles_ && i < columns_; ++i) {
    ++counts[code[i]];
    counts += size(i);
  }
  for (int i = 0; pairs_ && i < columns_; ++i) {
    for (int j = i + 1; j < columns_; ++j) {
      const int width = size(j);
      ++counts[code[i] * width + code[j]];
      counts += size(i) * width;
    }
  }
  const int label = columns_ - 1;
  if (scores_.empty() || code[label] == size(label) - 1) return;
  ++counts[takes_for(code[label], code) ? 0 : 1];
}

// Whether `label` is the class with the largest score; the first of equal ones has it.
bool PairCounter::takes_for(int label, const int* code) const {
  const int classes = size(columns_ - 1) - 1;
  double best = -HUGE_VAL;
  int taken = 0;
  for (int k = 0; k < classes; ++k) {
    double score = scores_[static_cast<std::size_t>(k)];
    std::size_t row = 1;
    for (int j = 0; j < columns_ - 1; ++j) {
      const auto at = row + static_cast<std::size_t>(code[j]);
      score += scores_[at * static_cast<std::size_t>(classes) + static_cast<std::size_t>(k)];
      row += static_cast<std::size_t>(size(j));
    }
    if (score > best) {
      best = score;
      taken = k;
    }
  }
  return taken == label;
}

}  // namespace dpmix
