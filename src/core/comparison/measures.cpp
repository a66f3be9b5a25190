#include "core/comparison/measures.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr std::array quantile_levels = {.05, .25, .5, .75, .95};

double clamped_or_nan(double v, double low, double high) {
  return std::isnan(v) ? v : std::clamp(v, low, high);
}

double total(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.);
}

// Noisy counts may sum to less than a row: then nothing is known of shares.
std::vector<double> shares_of(const std::vector<double>& counts) {
  std::vector<double> shares = counts;
  const double rows = total(counts);
  for (double& v : shares) v = rows >= 1 ? v / rows : NAN;
  return shares;
}

// Means, deviations and correlations of the numbers, in their units.
struct Shape {
  std::vector<double> mean, stddev, correlation;  // correlation: d x d; NAN where one is constant
};

Shape shape_of(const ComparedColumns& columns, const NoisyMoments& moments) {
  const std::size_t d = columns.lower.size();
  Shape shape{std::vector<double>(d, NAN), std::vector<double>(d, NAN),
              std::vector<double>(d * d, NAN)};
  if (d == 0 || !(moments.count >= 1)) return shape;
  const MomentFrame box = columns.box();
  std::vector<double> z(d), spread(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double half_width = 1 / box.classes[0].whitening[i];
    z[i] = clamped_or_nan(moments.sums[i] / moments.count, -1, 1);
    const double variance = moments.products[i * d + i] / moments.count - z[i] * z[i];
    spread[i] = std::sqrt(clamped_or_nan(variance, 0, 1));
    shape.mean[i] = box.classes[0].centre[i] + half_width * z[i];
    shape.stddev[i] = half_width * spread[i];
  }
  // Below a lattice step a deviation is rounding.
  const double constant = 2 * box.step(0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (!(spread[i] > constant && spread[j] > constant)) continue;
      const double covariance = moments.products[i * d + j] / moments.count - z[i] * z[j];
      shape.correlation[i * d + j] = clamped_or_nan(covariance / (spread[i] * spread[j]), -1, 1);
    }
  }
  return shape;
}

std::vector<double> coarse(const std::vector<double>& shares) {
  if (shares.size() <= kCoarseCells || shares.size() % kCoarseCells != 0) return shares;
  const std::size_t width = shares.size() / kCoarseCells;
  std::vector<double> joined(kCoarseCells);
  for (std::size_t i = 0; i < shares.size(); ++i) joined[i / width] += shares[i];
  return joined;
}

double total_variation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return clamped_or_nan(sum / 2, 0, 1);
}

double ks_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double below = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    below += a[i] - b[i];
    if (std::isnan(below)) return NAN;
    most = std::max(most, std::abs(below));
  }
  return clamped_or_nan(most, 0, 1);
}

double quantile_of(const Marginal& marginal, const std::vector<double>& shares, double level) {
  double below = 0;
  const double width = (marginal.upper - marginal.lower) / marginal.cells;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (std::isnan(shares[i])) return NAN;
    if (below + shares[i] >= level && shares[i] > 0) {
      return marginal.lower + width * (static_cast<double>(i) + (level - below) / shares[i]);
    }
    below += shares[i];
  }
  return marginal.upper;
}

class Comparison {
 public:
  Comparison(const ComparedColumns& columns, const std::vector<Marginal>& marginals,
             const TableStatistics& real, const TableStatistics& synthetic)
      : columns_(columns), marginals_(marginals), real_(real), synthetic_(synthetic) {}

  std::vector<Measure> make() {
    whole_tables();
    if (columns_.classes > 0) balance();
    const Shape real = shape_of(columns_, real_.moments);
    const Shape synthetic = shape_of(columns_, synthetic_.moments);
    for (int i = 0; i < columns_.numbers(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      add({.kind = MeasureKind::mean, .column = i}, real.mean[at], synthetic.mean[at]);
      add({.kind = MeasureKind::stddev, .column = i}, real.stddev[at], synthetic.stddev[at]);
      if (columns_.boolean[at] != 0) {
        distance({.kind = MeasureKind::total_variation, .column = i},
                 std::abs(synthetic.mean[at] - real.mean[at]));
      }
    }
    const int label = columns_.numbers() + static_cast<int>(columns_.categories.size());
    for (std::size_t m = 0; m < marginals_.size(); ++m) {
      if (marginals_[m].column != label) marginal(m);
    }
    correlations(real, synthetic);
    return std::move(measures_);
  }

 private:
  void add(Measure measure, double real, double synthetic) {
    measure.real = real;
    measure.synthetic = synthetic;
    measure.difference = synthetic - real;
    measures_.push_back(measure);
  }
  void distance(Measure measure, double value) {
    measure.difference = value;
    measures_.push_back(measure);
  }

  void whole_tables() {
    if (!std::isnan(real_.rows)) add({.kind = MeasureKind::rows}, real_.rows, synthetic_.rows);
    if (columns_.numbers() > 0) {
      add({.kind = MeasureKind::complete_rows}, real_.moments.count, synthetic_.moments.count);
    }
    if (columns_.classified()) add({.kind = MeasureKind::accuracy}, real_.score, synthetic_.score);
    if (columns_.classes == 0 && columns_.numbers() > 0) {
      add({.kind = MeasureKind::log_density}, real_.score, synthetic_.score);
    }
  }

  void balance() {  // the label's marginal is the last
    const int label = marginals_.back().column;
    const std::vector<double> real = shares_of(real_.marginals.back());
    const std::vector<double> synthetic = shares_of(synthetic_.marginals.back());
    const auto largest = [](const std::vector<double>& shares) {
      return clamped_or_nan(*std::max_element(shares.begin(), shares.end()), 0, 1);
    };
    add({.kind = MeasureKind::accuracy_of_largest_class}, largest(real), largest(synthetic));
    distance({.kind = MeasureKind::class_total_variation, .column = label},
             total_variation(real, synthetic));
    each_share(MeasureKind::class_share, label, real, synthetic);
  }

  void each_share(MeasureKind kind, int column, const std::vector<double>& real,
                  const std::vector<double>& synthetic) {
    for (std::size_t k = 0; k < real.size(); ++k) {
      add({.kind = kind, .column = column, .category = static_cast<int>(k)},
          clamped_or_nan(real[k], 0, 1), clamped_or_nan(synthetic[k], 0, 1));
    }
  }

  void marginal(std::size_t m) {
    const Marginal& marginal = marginals_[m];
    const std::vector<double> real = shares_of(real_.marginals[m]);
    const std::vector<double> synthetic = shares_of(synthetic_.marginals[m]);
    if (marginal.ordered) {
      distance({.kind = MeasureKind::ks_distance, .column = marginal.column},
               ks_distance(real, synthetic));
    }
    distance({.kind = MeasureKind::total_variation, .column = marginal.column},
             total_variation(coarse(real), coarse(synthetic)));
    if (!marginal.ordered) each_share(MeasureKind::share, marginal.column, real, synthetic);
    if (!marginal.ordered || marginal.cells < kFineCells) return;
    for (const double level : quantile_levels) {
      add({.kind = MeasureKind::quantile, .column = marginal.column, .level = level},
          quantile_of(marginal, real, level), quantile_of(marginal, synthetic, level));
    }
  }

  void correlations(const Shape& real, const Shape& synthetic) {
    const int d = columns_.numbers();
    if (d < 2) return;
    const std::size_t first = measures_.size();
    for (const MeasureKind kind :
         {MeasureKind::correlation_max_difference, MeasureKind::correlation_mean_difference}) {
      distance({.kind = kind}, NAN);
    }
    double most = 0, sum = 0, pairs = 0;  // of those that both tables have
    for (int i = 0; i < d; ++i) {
      poll();
      for (int j = i + 1; j < d; ++j) {
        const auto at = static_cast<std::size_t>(i * d + j);
        add({.kind = MeasureKind::correlation, .column = i, .other = j}, real.correlation[at],
            synthetic.correlation[at]);
        const double apart = std::abs(measures_.back().difference);
        if (std::isnan(apart)) continue;
        most = std::max(most, apart);
        sum += apart;
        pairs += 1;
      }
    }
    if (pairs == 0) return;
    measures_[first].difference = most;
    measures_[first + 1].difference = sum / pairs;
  }

  const ComparedColumns& columns_;
  const std::vector<Marginal>& marginals_;
  const TableStatistics &real_, &synthetic_;
  std::vector<Measure> measures_;
};

}  // namespace

std::vector<int> ComparedColumns::coded() const {
  std::vector<int> features;
  std::int64_t d = numbers();
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const std::int64_t with = d + categories[i] - 1;
    if (with == d || with > MomentFrame::max_features ||
        classes * (with * (with + 1) / 2) > MomentFrame::max_products) {
      continue;
    }
    features.push_back(static_cast<int>(i));
    d = with;
  }
  return features;
}

int ComparedColumns::coordinates() const {
  int d = numbers();
  for (const int i : coded()) d += categories[static_cast<std::size_t>(i)] - 1;
  return d;
}

MomentFrame ComparedColumns::coded_box() const {
  std::vector<double> low = lower, high = upper;
  low.resize(static_cast<std::size_t>(coordinates()), 0);
  high.resize(low.size(), 1);
  return box_frame(low, high, classes);
}

CellGrid Marginal::grid() const {
  CellGrid grid;
  grid.frame = box_frame({lower}, {upper}, 1);
  grid.axes = 1;
  grid.side = cells;
  return grid;
}

std::vector<Marginal> marginals_of(const ComparedColumns& columns, int cells) {
  std::vector<Marginal> marginals;
  int column = 0;
  for (std::size_t i = 0; i < columns.lower.size(); ++i, ++column) {
    if (columns.boolean[i] == 0) {
      marginals.push_back({column, true, columns.lower[i], columns.upper[i], cells});
    }
  }
  // A category's number lies in the middle of its cell.
  const auto unordered = [&](int categories) {
    marginals.push_back({column++, false, -.5, categories - .5, categories});
  };
  for (const int categories : columns.categories) unordered(categories);
  if (columns.classes > 0) unordered(columns.classes);
  return marginals;
}

std::int64_t TableCounts::right() const {
  std::int64_t sum = 0;
  for (int k = 0; k < std::min(tested.classes, tested.bins); ++k) sum += tested.count(k, k);
  return sum;
}

std::int64_t TableCounts::wrong() const {
  return std::accumulate(tested.counts.begin(), tested.counts.end(), std::int64_t{0}) - right();
}

TableStatistics exact_statistics(const TableCounts& counts, const ComparedColumns& columns,
                                 const std::vector<Marginal>& marginals) {
  TableStatistics table;
  table.rows = static_cast<double>(counts.rows);
  if (columns.numbers() > 0) {
    const MomentTotals::Class* exact =
        counts.moments.classes.empty() ? nullptr : &counts.moments.classes[0];
    table.moments = exact_moments(exact, columns.numbers(), columns.box().step(0));
  }
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    table.marginals.emplace_back();
    for (int i = 0; i < marginals[m].cells; ++i) {
      table.marginals[m].push_back(static_cast<double>(counts.marginals[m].count(0, i)));
    }
  }
  table.right = static_cast<double>(counts.right());
  table.wrong = static_cast<double>(counts.wrong());
  return table;
}

double share_right(double right, double wrong) {
  const double rows = right + wrong;
  return rows >= 1 ? std::clamp(right / rows, 0., 1.) : NAN;
}

std::vector<Measure> compare_tables(const ComparedColumns& columns,
                                    const std::vector<Marginal>& marginals,
                                    const TableStatistics& real, const TableStatistics& synthetic) {
  return Comparison(columns, marginals, real, synthetic).make();
}

std::string_view name(MeasureKind kind) {
  switch (kind) {
    case MeasureKind::rows:
      return "rows";
    case MeasureKind::complete_rows:
      return "complete_rows";
    case MeasureKind::accuracy:
      return "accuracy";
    case MeasureKind::log_density:
      return "log_density";
    case MeasureKind::accuracy_of_largest_class:
      return "accuracy_of_largest_class";
    case MeasureKind::class_total_variation:
      return "class_total_variation";
    case MeasureKind::class_share:
      return "class_share";
    case MeasureKind::mean:
      return "mean";
    case MeasureKind::stddev:
      return "stddev";
    case MeasureKind::quantile:
      return "quantile";
    case MeasureKind::ks_distance:
      return "ks_distance";
    case MeasureKind::total_variation:
      return "total_variation";
    case MeasureKind::share:
      return "share";
    case MeasureKind::correlation_max_difference:
      return "correlation_max_difference";
    case MeasureKind::correlation_mean_difference:
      return "correlation_mean_difference";
    case MeasureKind::correlation:
      return "correlation";
    case MeasureKind::marginal_tv:
      return "marginal_tv";
    case MeasureKind::marginal_tv_mean:
      return "marginal_tv_mean";
    case MeasureKind::marginal_tv_noise:
      return "marginal_tv_noise";
    case MeasureKind::pair_tv:
      return "pair_tv";
    case MeasureKind::pair_tv_mean:
      return "pair_tv_mean";
    case MeasureKind::pair_tv_worst:
      return "pair_tv_worst";
    case MeasureKind::pair_tv_noise:
      return "pair_tv_noise";
    case MeasureKind::naive_bayes_accuracy:
      return "naive_bayes_accuracy";
  }
  return {};
}

}  // namespace dpmix
