#include "core/stats/code_scores.hpp"

#include <cmath>
#include <utility>

#include "core/base/packed_reader.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/input/moment_frame.hpp"

namespace dpmix {
namespace {

constexpr PackedReader::Refusal refusal = {
    .message = "invalid scores",
    .detail = "They do not fit their columns, or are too many or too large.",
    .hint = "They are what a release of ranks makes of its columns."};
constexpr double marker = -1;      // no other argument begins so
constexpr std::size_t before = 2;  // marker, length

bool has_scores(std::span<const double> packed) {
  return !packed.empty() && packed.front() == marker;
}

// The length of all that is packed, marker included.
std::size_t length_of(std::span<const double> packed) {
  const double length = packed.size() < before ? 0 : packed[1];
  if (!(length >= before && length <= static_cast<double>(packed.size()) &&
        length == std::floor(length))) {
    refuse_parameter(refusal.message, refusal.detail, refusal.hint);
  }
  return static_cast<std::size_t>(length);
}

}  // namespace

CodeScores::CodeScores(int classes, std::vector<ColumnCells> columns,
                       std::vector<std::vector<double>> scores)
    : classes_(classes), columns_(std::move(columns)), scores_(std::move(scores)) {
  const PackedReader check({}, refusal);
  check.require(classes >= 1 && classes <= MomentFrame::max_classes && !columns_.empty() &&
                columns_.size() <= MarginalTables::most_columns &&
                scores_.size() == columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].check();
    codes_.push_back(static_cast<std::size_t>(columns_[i].codes()));
    check.require(scores_[i].size() == codes_[i] * static_cast<std::size_t>(classes));
    for (const double score : scores_[i]) check.require(std::abs(score) <= most);
  }
}

void CodeScores::look_up(int k, std::span<const double> x, double* scores) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto code = static_cast<std::size_t>(columns_[i].code_of(x[i]));
    scores[i] = scores_[i][static_cast<std::size_t>(k) * codes_[i] + code];
  }
}

std::vector<double> CodeScores::pack() const {
  std::vector<double> packed = {marker, 0, double(classes_), double(columns_.size())};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnCells& column = columns_[i];
    packed.push_back(column.categories);
    packed.push_back(double(column.edges.size()));
    packed.insert(packed.end(), column.edges.begin(), column.edges.end());
    packed.insert(packed.end(), column.code.begin(), column.code.end());
    packed.insert(packed.end(), scores_[i].begin(), scores_[i].end());
  }
  packed[1] = static_cast<double>(packed.size());
  return packed;
}

CodeScores CodeScores::unpack_front(std::span<const double> packed) {
  const PackedReader check({}, refusal);
  check.require(has_scores(packed));
  PackedReader read(packed.first(length_of(packed)).subspan(before), refusal);
  const int classes = read.whole(1, MomentFrame::max_classes);
  std::vector<ColumnCells> columns(read.count(MarginalTables::most_columns));
  std::vector<std::vector<double>> scores;
  for (ColumnCells& column : columns) {
    column.categories = read.whole(0, MarginalTables::most_cells);
    column.edges = read.numbers(read.count(MarginalTables::most_cells));
    column.code = read.wholes(column.needed_codes(), 0, MarginalTables::most_cells);
    column.check();
    scores.push_back(
        read.numbers(static_cast<std::size_t>(classes) * static_cast<std::size_t>(column.codes())));
  }
  read.end();
  return CodeScores(classes, std::move(columns), std::move(scores));
}

std::span<const double> after_scores(std::span<const double> packed) {
  return has_scores(packed) ? packed.subspan(length_of(packed)) : packed;
}

}  // namespace dpmix
