#include "core/comparison/pair_tables.hpp"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr double kMillinats = 1000;
constexpr double kOneSided = 1.645, kTwoSided = 1.96;  // 95 % of a normal
// Mean, variance and skewness of |N| for a standard normal N.
constexpr double kMeanSize = 0.7978845608, kSizeVariance = 1 - 2 / std::numbers::pi,
                 kSizeSkewness = .9953;

PairShape::Column cut_of(const ComparedColumns& columns, int column) {
  const auto at = static_cast<std::size_t>(column);
  if (at < columns.lower.size() && columns.boolean[at] == 0) {
    return {columns.lower[at], columns.upper[at], columns.bins};
  }
  int cells = 2;
  if (at >= columns.lower.size()) {
    const std::size_t feature = at - columns.lower.size();
    cells = feature < columns.categories.size() ? columns.categories[feature] : columns.classes;
  }
  return {-.5, cells - .5, cells};  // each number in the middle of its cell
}

int label_of(const ComparedColumns& columns) {
  return columns.numbers() + static_cast<int>(columns.categories.size());
}

// The mean size of max(x + z, 0) - x, z a standard normal: how far noise moves a count of x
// deviations, where negative counts are read as 0.
double mean_move(double x) {
  const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return kMeanSize - density + x * std::erfc(x / std::numbers::sqrt2) / 2;
}

// What the tables say of the number of rows: each row is in all of them.
struct Rows {
  double count = 0, deviation = 0;
};

struct Distance {
  double value = NAN;
  double noise = 0;         // what noise alone would make of equal tables, on average
  double mean_error = 0;    // the mean of the error that noise makes
  double error_spread = 0;  // its deviation
  double error_skewness = 0;

  double corrected() const {
    return std::isnan(value) ? NAN : std::sqrt(std::max(value * value - noise * noise, 0.));
  }
  double bound(double deviations) const {
    const double skewed = (deviations * deviations - 1) / 6 * error_skewness;
    return mean_error + (deviations + skewed) * error_spread;
  }
};

class Comparison {
 public:
  Comparison(const ComparedColumns& columns, const PairStatistics& real,
             const PairStatistics& synthetic, const PairNoise& noise)
      : names_(paired_columns(columns)),
        tables_(pair_shape(columns).tables()),
        label_(columns.classes > 0 ? static_cast<int>(names_.size()) - 1 : -1),
        real_(real),
        synthetic_(synthetic),
        noise_(noise) {}

  PairComparison make() {
    const Rows real = rows_of(real_, noise_), synthetic = rows_of(synthetic_, {});
    std::vector<Distance> distances;
    for (const PairCells& table : tables_) {
      if (distances.size() % 64 == 0) poll();
      distances.push_back(distance_of(table, real, synthetic));
    }
    const std::size_t singles = names_.size();
    row_bound_ = real.count >= 1 ? kOneSided * real.deviation / real.count / 2 : 0;
    put(distances, 0, singles, MeasureKind::marginal_tv, MeasureKind::marginal_tv_mean,
        MeasureKind::marginal_tv_noise);
    if (tables_.size() == singles) return std::move(out_);
    put(distances, singles, tables_.size(), MeasureKind::pair_tv, MeasureKind::pair_tv_mean,
        MeasureKind::pair_tv_noise);
    put_worst(distances, singles);
    return std::move(out_);
  }

 private:
  double total(const PairStatistics& statistics, const PairCells& table) const {
    const auto first = statistics.cells.begin() + table.first;
    return std::accumulate(first, first + table.cells, 0.);
  }

  Rows rows_of(const PairStatistics& statistics, const PairNoise& noise) const {
    double sum = 0, weights = 0;
    for (const PairCells& table : tables_) {
      const double deviation = noise.of(table, label_);
      if (deviation == 0) return {total(statistics, table), 0};
      const double weight = 1 / (deviation * deviation * table.cells);
      sum += weight * total(statistics, table);
      weights += weight;
    }
    return {sum / weights, 1 / std::sqrt(weights)};
  }

  Distance distance_of(const PairCells& table, Rows real, Rows synthetic) const {
    if (!(real.count >= 1 && synthetic.count >= 1)) return {};
    const double deviation = noise_.of(table, label_);
    double apart = 0, floor = 0, error = 0;
    for (int i = table.first; i < table.first + table.cells; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double share = synthetic_.cells[at] / synthetic.count;
      const double count = std::max(real_.cells[at], 0.);
      apart += std::abs(count / real.count - share);
      if (deviation == 0) continue;
      floor += mean_move(share * real.count / deviation);
      error += mean_move(count / deviation);
    }
    const double unit = deviation / real.count / 2, cells = table.cells;
    return {std::clamp(apart / 2, 0., 1.), unit * floor, unit * error,
            unit * std::sqrt(kSizeVariance * cells), kSizeSkewness / std::sqrt(cells)};
  }

  void add(Measure measure, double value, double bound) {
    measure.difference = value;
    out_.measures.push_back(measure);
    out_.bounds.push_back(std::min(bound, 1.));
  }

  void put(const std::vector<Distance>& distances, std::size_t from, std::size_t to,
           MeasureKind each, MeasureKind mean, MeasureKind noise) {
    double sum = 0, noises = 0, variances = 0;
    Distance all;
    for (std::size_t t = from; t < to; ++t) {
      const Distance& d = distances[t];
      add(named(each, t), d.corrected(), d.bound(kOneSided) + row_bound_);
      sum += d.corrected();
      noises += d.noise;
      all.mean_error += d.mean_error;
      variances += d.error_spread * d.error_spread;
    }
    const auto count = static_cast<double>(to - from);
    all.mean_error /= count;
    all.error_spread = std::sqrt(variances) / count;
    add({.kind = mean}, sum / count, all.bound(kOneSided) + row_bound_);
    if (noise_.cell == 0) return;
    out_.measures.push_back({.kind = noise, .difference = std::isnan(sum) ? NAN : noises / count});
    out_.bounds.push_back(NAN);  // it has no error
  }

  void put_worst(const std::vector<Distance>& distances, std::size_t from) {
    // The largest of so many normals is beyond it in 5 of 100 cases at most.
    const auto count = static_cast<double>(distances.size() - from);
    const double deviations = std::sqrt(2 * std::log(count / .1));
    std::size_t worst = from;
    for (std::size_t t = from; t < distances.size(); ++t) {
      if (distances[t].corrected() > distances[worst].corrected()) worst = t;
    }
    const double value = distances[worst].corrected();
    const Measure none = {.kind = MeasureKind::pair_tv_worst};
    add(std::isnan(value) ? none : named(none.kind, worst), value,
        distances[worst].bound(deviations) + row_bound_);
  }

  Measure named(MeasureKind kind, std::size_t table) const {
    const PairCells& t = tables_[table];
    const auto name = [&](int i) { return i < 0 ? -1 : names_[static_cast<std::size_t>(i)]; };
    return {.kind = kind, .column = name(t.column), .other = name(t.other)};
  }

  const std::vector<int> names_;
  const std::vector<PairCells> tables_;
  const int label_;
  const PairStatistics &real_, &synthetic_;
  const PairNoise& noise_;
  double row_bound_ = 0;  // what noise in the number of rows adds to each
  PairComparison out_;
};

}  // namespace

std::vector<int> paired_columns(const ComparedColumns& columns) {
  std::vector<int> paired;
  if (columns.bins == 0) return paired;
  const int label = label_of(columns);
  std::int64_t bins = 2, sizes = 0;  // 2: what a classifier gets right and wrong
  const auto add = [&](int column) {
    const std::int64_t size = cut_of(columns, column).size();
    if (bins + size + size * sizes > PairShape::max_bins) return;
    if (paired.size() == static_cast<std::size_t>(PairShape::max_columns)) return;
    bins += size + size * sizes;
    sizes += size;
    paired.push_back(column);
  };
  if (columns.classes > 0) add(label);
  for (int column = 0; column < label; ++column) add(column);
  std::sort(paired.begin(), paired.end());
  return paired;
}

PairShape pair_shape(const ComparedColumns& columns) {
  PairShape shape;
  for (const int column : paired_columns(columns)) shape.columns.push_back(cut_of(columns, column));
  return shape;
}

bool has_pair_classifier(const ComparedColumns& columns) {
  return columns.classes > 0 && paired_columns(columns).size() > 1;
}

std::vector<double> bayes_scores(const ComparedColumns& columns, const BinCounts& counts) {
  const PairShape shape = pair_shape(columns);
  const int label = static_cast<int>(shape.columns.size()) - 1;
  const int classes = columns.classes, width = classes + 1;
  std::vector<double> rows;  // of each class
  std::vector<double> scores;
  const auto add = [&](double of, double among) {
    scores.push_back(std::round(kMillinats * std::log((of + 1) / among)));
  };
  const auto count = [&](int at) { return static_cast<double>(counts.count(0, at)); };
  for (const PairCells& table : shape.tables()) {
    if (table.column == label) {
      for (int k = 0; k < classes; ++k) rows.push_back(count(table.first + k));
      const double all = std::accumulate(rows.begin(), rows.end(), 0.);
      if (all == 0) return {};
      for (int k = 0; k < classes; ++k) add(rows[static_cast<std::size_t>(k)], all + classes);
    }
    if (table.other != label) continue;
    poll();
    const int cells = table.cells / width;
    for (int i = 0; i < table.cells; ++i) {
      if (i % width == classes) continue;  // no label
      add(count(table.first + i), rows[static_cast<std::size_t>(i % width)] + cells);
    }
  }
  return scores;
}

PairStatistics exact_pairs(const BinCounts& counts, const ComparedColumns& columns) {
  PairStatistics table;
  const auto cells = static_cast<int>(pair_shape(columns).bins());
  for (int i = 0; i < cells; ++i) table.cells.push_back(static_cast<double>(counts.count(0, i)));
  if (counts.bins < cells + 2) return table;
  table.right = static_cast<double>(counts.count(0, cells));
  table.wrong = static_cast<double>(counts.count(0, cells + 1));
  return table;
}

PairComparison compare_pairs(const ComparedColumns& columns, const PairStatistics& real,
                             const PairStatistics& synthetic, const PairNoise& noise,
                             double real_score, double synthetic_score) {
  if (paired_columns(columns).empty()) return {};
  PairComparison out = Comparison(columns, real, synthetic, noise).make();
  if (!has_pair_classifier(columns)) return out;
  out.measures.push_back({.kind = MeasureKind::naive_bayes_accuracy,
                          .real = real_score,
                          .synthetic = synthetic_score,
                          .difference = synthetic_score - real_score});
  const double p = share_right(real.right, real.wrong), rows = real.right + real.wrong;
  out.bounds.push_back(noise.right > 0 ? kTwoSided * noise.right * std::hypot(p, 1 - p) / rows : 0);
  return out;
}

}  // namespace dpmix
