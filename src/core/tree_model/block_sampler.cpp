#include "core/tree_model/block_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/index.hpp"
#include "core/base/next_double.hpp"
#include "core/random/uniform.hpp"

namespace dpmix {
namespace {

int draw_one(RandomStream& random, std::span<const double> below) {
  const double u = uniform(random) * below.back();
  const auto at = std::upper_bound(below.begin(), below.end(), u);
  return static_cast<int>(std::min<std::ptrdiff_t>(at - below.begin(), std::ssize(below) - 1));
}

}  // namespace

void shuffle(RandomStream& random, std::span<int> values) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

void apportion(RandomStream& random, std::span<const double> probability, std::size_t rows,
               std::vector<int>& codes) {
  codes.clear();
  const double start = uniform(random);
  double below = 0;
  int last = 0;  // the last code that may occur
  for (std::size_t v = 0; v < probability.size(); ++v) {
    if (!(probability[v] > 0)) continue;
    below += probability[v] * static_cast<double>(rows);
    last = static_cast<int>(v);
    codes.resize(std::clamp(static_cast<std::size_t>(below + start), codes.size(), rows), last);
  }
  codes.resize(rows, last);  // what roundings of the sums left
}

BlockSampler::BlockSampler(const TreeModel& model, int most_rows)
    : model_(model), law_(model), most_rows_(most_rows) {
  for (int i = 0; i < law_.columns(); ++i) {
    const std::vector<int>& code = model.columns[index(i)].cells.code;
    std::vector<CodeCells> cells(index(law_.codes()[index(i)]));
    for (std::size_t c = 0; c < code.size(); ++c) {
      const double weight = law_.cells(i)[c];
      if (weight == 0) continue;
      CodeCells& of_code = cells[index(code[c])];
      of_code.below.push_back(weight + (of_code.below.empty() ? 0 : of_code.below.back()));
      of_code.cell.push_back(static_cast<int>(c));
    }
    code_cells_.push_back(std::move(cells));
  }
  codes_.resize(index(law_.columns()));
}

bool BlockSampler::ordered(int column) const {
  const int measured = model_.measured_of(column);
  return measured < 0 || model_.columns[index(measured)].ordered();
}

void BlockSampler::values(RandomStream& random, int row, std::span<double> out) {
  if (model_.rules.empty()) {
    for (int i = 0; i < law_.columns(); ++i) out[index(i)] = value(random, row, i);
    return;
  }
  measured_.resize(index(law_.columns()));
  for (int i = 0; i < law_.columns(); ++i) measured_[index(i)] = value(random, row, i);
  model_.rules.restore(measured_, out, [&](int column) {
    return present_value(random, model_.measured_of(column));
  });
}

// One that is not missing, by the released rows of all classes.
double BlockSampler::present_value(RandomStream& random, int column) const {
  const CutColumn& cut = model_.columns[index(column)];
  const std::vector<double>& rows = model_.tables.columns[index(column)];
  const std::size_t codes = index(law_.codes()[index(column)]);
  std::vector<double> below;
  for (int cell = 0; cell < cut.missing_cell(); ++cell) {
    double weight = 0;
    for (std::size_t at = index(cut.cells.code[index(cell)]); at < rows.size(); at += codes) {
      weight += rows[at] * law_.cells(column)[index(cell)];
    }
    below.push_back(weight + (below.empty() ? 0 : below.back()));
  }
  if (!(below.back() > 0)) return value_in(random, column, 0);
  return value_in(random, column, draw_one(random, below));
}

double BlockSampler::value(RandomStream& random, int row, int column) const {
  const CutColumn& cut = model_.columns[index(column)];
  const CodeCells& cells = code_cells_[index(column)][index(codes_[index(column)][index(row)])];
  const int cell = cells.cell.size() == 1 ? cells.cell.front()
                                          : cells.cell[index(draw_one(random, cells.below))];
  if (cell == cut.missing_cell()) return std::numeric_limits<double>::quiet_NaN();
  return value_in(random, column, cell);
}

double BlockSampler::value_in(RandomStream& random, int column, int cell) const {
  const CutColumn& cut = model_.columns[index(column)];
  if (!cut.ordered()) return cell;
  const ColumnValues& values = cut.values;
  const double low = cut.low(cell), high = cut.high(cell);
  if (values.whole) {
    const double x = std::floor(std::lerp(low, high, uniform(random)) + .5);
    const double least = std::ceil(values.lower);
    return std::clamp(x, least, std::max(least, std::floor(values.upper)));
  }
  const double x = high > next_up(low)
                       ? std::min(std::lerp(low, high, uniform(random)), std::nextafter(high, low))
                       : low;  // the only number of its cell
  return std::clamp(x, values.lower, values.upper);
}

}  // namespace dpmix
