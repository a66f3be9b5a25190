#include "core/stats/marginal_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "core/base/packed_reader.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/input/moment_frame.hpp"

namespace dpmix {
namespace {

constexpr char message[] = "invalid marginal tables";
constexpr char hint[] = "They are what the release of a tree makes of its columns.";

[[noreturn]] void refuse(const char* detail) {
  refuse_parameter(message, detail, hint);
}

}  // namespace

void ColumnCells::check() const {
  const std::size_t most = MarginalTables::most_cells;
  if (categories < 0 || (categories > 0 && !edges.empty()) || needed_codes() > most ||
      code.size() != needed_codes()) {
    refuse("A column has no code for each of its cells, or too many cells.");
  }
  const auto ascend = [](double a, double b) { return a < b; };  // false where one is NaN
  if ((!edges.empty() && std::isnan(edges.front())) ||
      std::adjacent_find(edges.begin(), edges.end(), std::not_fn(ascend)) != edges.end()) {
    refuse("Edges of a column do not ascend.");
  }
  if (std::any_of(code.begin(), code.end(), [&](int c) { return c < 0 || c >= cells(); })) {
    refuse("A code is out of range.");
  }
}

std::size_t ColumnCells::needed_codes() const {
  return 1 + (categories > 0 ? static_cast<std::size_t>(categories) : edges.size() + 1);
}

int ColumnCells::codes() const {
  return 1 + *std::max_element(code.begin(), code.end());
}

int ColumnCells::cell(double x) const {
  const int missing = cells() - 1;
  if (std::isnan(x)) return missing;
  if (categories > 0) return x >= 0 && x < categories ? static_cast<int>(x) : missing;
  const double* edge = edges.data();  // no branch depends on the value
  for (std::size_t size = edges.size(); size > 0;) {
    const std::size_t half = (size + 1) / 2;
    edge += edge[half - 1] <= x ? half : 0;
    size -= half;
  }
  return static_cast<int>(edge - edges.data());
}

MarginalTables::MarginalTables(int classes, std::vector<ColumnCells> columns,
                               std::vector<MarginalTable> tables)
    : classes_(classes), columns_(std::move(columns)), tables_(std::move(tables)) {
  if (classes < 1 || classes > MomentFrame::max_classes) refuse("Classes are out of range.");
  if (columns_.empty() || columns_.size() > most_columns) refuse("Columns are too many, or none.");
  for (const ColumnCells& column : columns_) {
    column.check();
    codes_.push_back(column.codes());
  }
  double cells = 0;
  for (const MarginalTable& table : tables_) {
    if (table.a < 0 || table.a >= this->columns() || table.b < -1 || table.b >= this->columns() ||
        table.a == table.b) {
      refuse("A table is of no column, or twice of one.");
    }
    const double size = (table.by_class ? classes_ : 1.) *
                        codes_[static_cast<std::size_t>(table.a)] *
                        (table.b < 0 ? 1. : codes_[static_cast<std::size_t>(table.b)]);
    offsets_.push_back(static_cast<int>(cells));
    cells += size;
    if (cells > most_cells) refuse("Tables have too many cells.");
  }
  if (tables_.empty()) refuse("There is no table.");
  cells_ = static_cast<int>(cells);
}

int MarginalTables::size(int t) const {
  const auto i = static_cast<std::size_t>(t);
  return (i + 1 < offsets_.size() ? offsets_[i + 1] : cells_) - offsets_[i];
}

void MarginalTables::add(int k, std::span<const double> x, std::int64_t* counts) const {
  std::array<int, most_columns> code;
  for (std::size_t i = 0; i < columns_.size(); ++i) code[i] = columns_[i].code_of(x[i]);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const MarginalTable& table = tables_[t];
    const auto a = static_cast<std::size_t>(table.a);
    int cell = (table.by_class ? k * codes_[a] : 0) + code[a];
    if (table.b >= 0) {
      const auto b = static_cast<std::size_t>(table.b);
      cell = cell * codes_[b] + code[b];
    }
    ++counts[offsets_[t] + cell];
  }
}

std::vector<double> MarginalTables::pack() const {
  std::vector<double> packed = {double(classes_), double(columns_.size())};
  for (const ColumnCells& column : columns_) {
    packed.push_back(column.categories);
    packed.push_back(double(column.edges.size()));
    packed.insert(packed.end(), column.edges.begin(), column.edges.end());
    packed.insert(packed.end(), column.code.begin(), column.code.end());
  }
  packed.push_back(double(tables_.size()));
  for (const MarginalTable& table : tables_) {
    packed.insert(packed.end(), {double(table.a), double(table.b), table.by_class ? 1. : 0.});
  }
  return packed;
}

MarginalTables MarginalTables::unpack(std::span<const double> packed) {
  PackedReader read(packed, {.message = message,
                             .detail = "The packed array is too short or too long, or a whole "
                                       "number in it is out of range.",
                             .hint = hint});
  const int classes = read.whole(1, MomentFrame::max_classes);
  std::vector<ColumnCells> columns(read.count(most_columns));
  for (ColumnCells& column : columns) {
    column.categories = read.whole(0, most_cells);
    column.edges = read.numbers(read.count(most_cells));
    column.code = read.wholes(column.needed_codes(), 0, most_cells);
  }
  std::vector<MarginalTable> tables(read.count(most_columns * most_columns));
  for (MarginalTable& table : tables) {
    table.a = read.whole(0, most_columns);
    table.b = read.whole(-1, most_columns);
    table.by_class = read.whole(0, 1) == 1;
  }
  read.end();
  return MarginalTables(classes, std::move(columns), std::move(tables));
}

}  // namespace dpmix
