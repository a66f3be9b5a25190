#include "core/tree_model/release.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/base/index.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/random/exponential_choice.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/tree_model/edge_scores.hpp"

namespace dpmix {
namespace {

constexpr int least_bins = 4;
// Columns with fewer rows, in deviations of a fine count, get equal bins: others would be noise.
constexpr double few_rows = 16;
constexpr int bins_of_few = 8;
// Where noise is so large a share of a column's counts, pairs, or chords, say less than columns
// that are counted again for what they would cost (docs/decisions/tree_model.md).
constexpr double hides_pairs = .6, hides_chords = .13;
constexpr double bin_noise = 3;  // a bin has so many deviations of rows in a class, at least

// The only way from exact counts to released ones.
std::vector<double> with_noise(RandomStream& random, std::span<const std::int64_t> exact,
                               double stddev) {
  const RoundedNormal noise(stddev);
  std::vector<double> noisy;
  noisy.reserve(exact.size());
  for (const std::int64_t count : exact) {
    noisy.push_back(static_cast<double>(dpmix::noisy(random, noise, count)));
  }
  return noisy;
}

bool needs_bins(const ColumnValues& values, Bins bins) {
  return bins == Bins::private_ && !has_few_values(values);
}

TreeShape fine_shape(const CutColumn& column) {
  return tree_shape(column.cells.cells() - 1);
}

}  // namespace

std::optional<Bins> bins_of(std::string_view name) {
  if (name == "private") return Bins::private_;
  if (name == "equal") return Bins::equal;
  return std::nullopt;
}

void count_levels(std::span<const ColumnValues> columns, Bins bins, TreeRequest* request) {
  request->columns = static_cast<int>(columns.size());
  request->binned = request->fine_levels = 0;
  for (const ColumnValues& values : columns) {
    if (!needs_bins(values, bins)) continue;
    ++request->binned;
    request->fine_levels += fine_shape(cut_column(values, fine_cells)).levels;
  }
}

TreeRelease::TreeRelease(const TreePlan& plan, int classes, std::vector<ColumnValues> columns,
                         Bins bins)
    : plan_(plan),
      classes_(classes),
      chords_(plan.chords),
      graph_(static_cast<int>(columns.size())) {
  TreeRequest planned;
  count_levels(columns, bins, &planned);
  if (plan.columns != planned.columns || plan.binned != planned.binned ||
      plan.fine_levels != planned.fine_levels) {
    throw std::logic_error("the plan is of other columns");
  }
  std::vector<MarginalTable> fine;
  std::vector<ColumnCells> cells;
  double known = 0;  // codes of columns without private bins
  for (const ColumnValues& values : columns) {
    const bool binned = needs_bins(values, bins);
    columns_.push_back(cut_column(values, binned ? fine_cells : most_bins));
    cells.push_back(columns_.back().cells);
    if (binned) fine.push_back({static_cast<int>(cells.size()) - 1, -1, false});
    if (!binned) known += columns_.back().cells.codes();
  }
  if (!fine.empty()) {
    // bin_column makes at most 2 bins + 1 codes, and one for missing values.
    const double left = std::max(0., 1. * MarginalTables::most_cells / classes - known);
    const double most = (left / static_cast<double>(fine.size()) - 2) / 2;
    if (most < least_bins) {
      refuse_parameter("too many values", "Tables of single columns would have too many cells.",
                       "Choose fewer columns, or a label with fewer values.");
    }
    bins_at_most_ = static_cast<int>(std::min<double>(most, most_bins));
  }
  stage_ = Stage::fine;
  if (fine.empty()) {
    count_columns();
  } else {
    pass_.emplace(classes_, std::move(cells), std::move(fine));
  }
}

double TreeRelease::rows() const {
  return std::accumulate(class_rows_.begin(), class_rows_.end(), 0.);
}

void TreeRelease::take(RandomStream& random, std::span<const std::int64_t> exact) {
  if (pass_ && exact.size() != static_cast<std::size_t>(pass_->cells())) {
    throw std::logic_error("counts are not those of the pass");
  }
  switch (stage_) {
    case Stage::fine:
      return measure_fine(random, exact);
    case Stage::zoomed:
      return measure_zoomed(random, exact);
    case Stage::columns:
      return measure_columns(random, exact);
    case Stage::pairs:
      return measure_pairs(random, exact);
    case Stage::done:
      return;
  }
}

void TreeRelease::measure_fine(RandomStream& random, std::span<const std::int64_t> exact) {
  std::vector<ColumnCells> cells;
  std::vector<MarginalTable> zoomed;
  for (const CutColumn& column : columns_) cells.push_back(column.cells);
  for (int t = 0; t < pass_->tables(); ++t) {
    const int i = pass_->table(t).a;
    const CutColumn& column = columns_[index(i)];
    const std::span<const std::int64_t> counts = pass_->part(exact, t);
    const TreeShape shape = fine_shape(column);
    std::vector<Int128> nodes(index(shape.all_nodes()));
    std::size_t start = 0;
    for (int level = 0; level < shape.levels; ++level) {
      sum_level(shape, level, counts.first(index(shape.cells)), nodes.data() + start);
      start += index(shape.nodes(level));
    }
    const RoundedNormal noise(plan_.fine_stddev);
    for (Int128& node : nodes) node = noisy(random, noise, node);
    const std::vector<NoiseLaw> laws(index(shape.levels), {.scale = plan_.fine_stddev});
    CellDistribution rows = QuantileTree(shape, laws).fit(nodes);
    Zoom zoom(column, rows, plan_.fine_stddev, plan_.binned);
    if (!zoom.empty()) {
      cells[index(i)] = zoom.cells();
      zoomed.push_back({i, -1, false});
    }
    std::vector<Spike> spikes;
    if (zoom.empty()) spikes = zoom.spikes({}, 0);
    binned_.push_back({i, std::move(rows), std::move(zoom), std::move(spikes)});
  }
  if (zoomed.empty()) {
    make_bins();
  } else {
    pass_.emplace(classes_, std::move(cells), std::move(zoomed));
    stage_ = Stage::zoomed;
  }
}

void TreeRelease::measure_zoomed(RandomStream& random, std::span<const std::int64_t> exact) {
  for (int t = 0; t < pass_->tables(); ++t) {
    for (Binned& binned : binned_) {
      if (binned.column != pass_->table(t).a) continue;
      const std::vector<double> counts =
          with_noise(random, pass_->part(exact, t), plan_.zoom_stddev);
      binned.spikes = binned.zoom.spikes(counts, plan_.zoom_stddev);
      binned.rows = binned.zoom.rows(binned.rows, counts, plan_.zoom_stddev);
    }
  }
  make_bins();
}

void TreeRelease::make_bins() {
  const double visible = bin_noise * plan_.single_stddev * std::sqrt(classes_);
  for (const Binned& binned : binned_) {
    CutColumn& column = columns_[index(binned.column)];
    if (binned.rows.total < few_rows * plan_.fine_stddev) {
      column = cut_column(column.values, std::min(bins_of_few, bins_at_most_));
      continue;
    }
    const double bins = std::clamp<double>(binned.rows.total / visible, least_bins, bins_at_most_);
    column =
        bin_column(column, binned.rows, binned.spikes, static_cast<int>(bins), plan_.fine_stddev);
  }
  count_columns();
}

void TreeRelease::count_columns() {
  std::vector<ColumnCells> cells;
  std::vector<MarginalTable> tables;
  for (const CutColumn& column : columns_) {
    tables.push_back({static_cast<int>(cells.size())});
    cells.push_back(column.cells);
  }
  pass_.emplace(classes_, std::move(cells), std::move(tables));
  stage_ = Stage::columns;
}

void TreeRelease::measure_columns(RandomStream& random, std::span<const std::int64_t> exact) {
  column_stddev_ = plan_.single_stddev;
  const double variance = column_stddev_ * column_stddev_;
  for (int i = 0; i < pass_->tables(); ++i) {
    NoisyColumn single;
    single.counts = with_noise(random, pass_->part(exact, i), column_stddev_);
    single.variance.assign(single.counts.size() / index(classes_), variance);
    singles_.push_back(std::move(single));
  }
  class_rows_ = class_rows(singles_, classes_);
  const double noise = noise_in_columns();
  if (plan_.edges > 0 && noise >= hides_pairs) {
    measure_columns_again(random, exact, plan_.for_pairs_stddev);
    fit();
    pass_.reset();
    stage_ = Stage::done;
    return;
  }
  if (plan_.chords > 0 && noise >= hides_chords) {
    measure_columns_again(random, exact, plan_.for_chords_stddev);
    chords_ = 0;
  }
  merge_columns();
  fit();
  if (plan_.edges > 0) return count_pairs();
  pass_.reset();
  stage_ = Stage::done;
}

// What noise makes of a column's counts, on average, as a share of the rows.
double TreeRelease::noise_in_columns() const {
  double codes = 0;
  for (const NoisyColumn& single : singles_) codes += single.codes();
  return std::sqrt(2 / std::numbers::pi) * plan_.single_stddev * classes_ * codes /
         (static_cast<double>(singles_.size()) * std::max(rows(), 1.));
}

void TreeRelease::measure_columns_again(RandomStream& random, std::span<const std::int64_t> exact,
                                        double stddev) {
  const double first = column_stddev_ * column_stddev_, second = stddev * stddev;
  column_stddev_ = std::sqrt(first * second / (first + second));
  for (int i = 0; i < pass_->tables(); ++i) {
    NoisyColumn& single = singles_[index(i)];
    const std::vector<double> noisy = with_noise(random, pass_->part(exact, i), stddev);
    for (std::size_t j = 0; j < noisy.size(); ++j) {
      single.counts[j] = (single.counts[j] * second + noisy[j] * first) / (first + second);
    }
    single.variance.assign(single.variance.size(), first * second / (first + second));
  }
  class_rows_ = class_rows(singles_, classes_);
}

void TreeRelease::merge_columns() {
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    CutColumn& column = columns_[i];
    const NoisyColumn noisy = std::move(singles_[i]);
    const std::size_t codes = noisy.variance.size();
    std::vector<double> together(codes, 0.);
    for (std::size_t j = 0; j < noisy.counts.size(); ++j) together[j % codes] += noisy.counts[j];
    std::vector<int> code_of(codes);  // a code's first cell tells where it went
    const std::vector<int> before = column.cells.code;
    const std::vector<int> merged =
        merge_codes(column, together, column_stddev_ * std::sqrt(classes_));
    for (std::size_t c = 0; c < before.size(); ++c) {
      code_of[index(before[c])] = column.cells.code[c];
    }
    NoisyColumn& single = singles_[i] = {};
    single.counts.assign(index(classes_) * merged.size(), 0.);
    for (std::size_t j = 0; j < noisy.counts.size(); ++j) {
      single.counts[j / codes * merged.size() + index(code_of[j % codes])] += noisy.counts[j];
    }
    for (std::size_t m = 0; m < merged.size(); ++m) {
      single.variance.push_back(merged[m] * column_stddev_ * column_stddev_);
    }
  }
}

void TreeRelease::count_pairs() {
  std::vector<ColumnCells> of_columns;
  for (const CutColumn& column : columns_) of_columns.push_back(column.cells);
  candidates_ = CandidatePairs(classes_, std::move(of_columns));
  pass_ = candidates_.next();
  stage_ = pass_ ? Stage::pairs : Stage::done;
}

void TreeRelease::fit() {
  tables_ = fit_tables(class_rows_, singles_, pairs_);
}

// The score of one candidate. What is expected of an edge stays the same until all are drawn.
std::int64_t TreeRelease::score(int t, int over, bool by_class) {
  const auto computed = [&] {
    const auto [a, b, by] = candidates_.table(t);
    return edge_score(candidates_.counts(t), rows_through(tables_, a, b, over), classes_, by_class,
                      over < 0 ? plan_.edge_stddev : plan_.chord_stddev);
  };
  if (over >= 0) return computed();
  edge_scores_.resize(index(candidates_.count()));
  std::optional<std::int64_t>& known = edge_scores_[index(t)];
  if (!known) known = computed();
  return *known;
}

// Draws a pair by the exponential mechanism and measures it. False: there is none to draw.
bool TreeRelease::draw_edge(RandomStream& random, bool chord) {
  struct Candidate {
    int table;
    bool by_class;
    int over;  // the column that the ends of a chord share; -1: an edge
  };
  std::vector<Candidate> candidates;
  std::vector<std::int64_t> scores;
  for (int t = 0; t < candidates_.count(); ++t) {
    poll();
    const auto [a, b, by] = candidates_.table(t);
    int over = -1;
    if (chord) {
      const std::optional<int> shared = graph_.chord_over(a, b);
      const auto cells = static_cast<double>(candidates_.counts(t).size());
      if (!shared || cells * tables_.codes[index(*shared)] > most_triangle_cells) continue;
      over = *shared;
    } else if (graph_.connected(a, b)) {
      continue;
    }
    // An edge is measured within classes; a chord so, or over all of them.
    for (const bool by_class : {true, false}) {
      if (!by_class && (!chord || classes_ == 1)) continue;
      candidates.push_back({t, by_class, over});
      scores.push_back(score(t, over, by_class));
    }
  }
  if (candidates.empty()) return false;
  const Candidate& drawn = candidates[exponential_choice(random, scores, plan_.draw_rate)];
  const auto [a, b, by] = candidates_.table(drawn.table);
  const std::span<const std::int64_t> counts = candidates_.counts(drawn.table);
  std::vector<std::int64_t> measured(counts.begin(), counts.end());
  if (!drawn.by_class) {
    measured.assign(counts.size() / index(classes_), 0);
    for (std::size_t i = 0; i < counts.size(); ++i) measured[i % measured.size()] += counts[i];
  }
  const double stddev = chord ? plan_.chord_stddev : plan_.edge_stddev;
  NoisyPair pair = {a, b, drawn.by_class, stddev, with_noise(random, measured, stddev), {}};
  if (chord) pair.expected = rows_through(tables_, a, b, drawn.over);
  pairs_.push_back(std::move(pair));
  graph_.join(a, b);
  return true;
}

void TreeRelease::measure_pairs(RandomStream& random, std::span<const std::int64_t> exact) {
  candidates_.take(exact);
  pass_ = candidates_.next();
  if (pass_) return;
  for (int i = 0; i < plan_.edges && draw_edge(random, false); ++i) continue;
  fit();
  for (int i = 0; i < chords_ && draw_edge(random, true); ++i) fit();
  stage_ = Stage::done;
}

}  // namespace dpmix
