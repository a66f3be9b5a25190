#include "core/comparison/private_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

constexpr double pairs_weight = 5, tested_weight = 4, moments_weight = 3, marginals_weight = 2,
                 balance_weight = 1;

// Shares of a row's squared norm in the moments, as of a mixture's (one_shot_plan.cpp).
constexpr double count_share = .05, sum_share = .25, product_share = .7;

constexpr double kConfidence = .95;
// How many releases are simulated: as many as make kSimulated measures in all, a second of work at
// most, but no fewer than kFewest and no more than kMost.
constexpr std::size_t kSimulated = 2'000'000, kFewest = 200, kMost = 2000;

[[noreturn]] void refuse(const char* detail) {
  refuse_parameter("nothing to compare", detail,
                   "Name features that both tables have, or a label.");
}

// N(0, 1) up to 2^-30.
class StandardNormal {
 public:
  double operator()(RandomStream& random) const { return to_double(law_(random)) * 0x1p-30; }

 private:
  RoundedNormal law_{0x1p30};
};

// What another release of noise would have shown, if `table` were the truth.
TableStatistics again(RandomStream& random, const TableStatistics& table,
                      const ComparedColumns& columns, const std::vector<Marginal>& marginals,
                      const ComparisonNoise& noise) {
  const StandardNormal normal;
  TableStatistics out = table;
  out.right += noise.tested * normal(random);
  out.wrong += noise.tested * normal(random);
  const int label = columns.numbers() + static_cast<int>(columns.categories.size());
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    const double deviation = marginals[m].column == label ? noise.balance : noise.cell;
    for (double& count : out.marginals[m]) count += deviation * normal(random);
  }
  const std::size_t d = columns.lower.size();
  if (d == 0) return out;
  const double step = columns.box().step(0);
  out.moments.count += noise.moments.count * normal(random);
  for (std::size_t i = 0; i < d; ++i) {
    out.moments.sums[i] += noise.moments.sum * step * normal(random);
    for (std::size_t j = i; j < d; ++j) {
      const double deviation = i == j ? noise.moments.square : noise.moments.product;
      out.moments.products[i * d + j] += deviation * step * step * normal(random);
      out.moments.products[j * d + i] = out.moments.products[i * d + j];
    }
  }
  return out;
}

double score_of(const ComparedColumns& columns, const TableStatistics& table,
                const GaussianModel* model) {
  if (columns.classified()) return share_right(table);
  return model != nullptr ? model->mean_log_density(table.moments) : NAN;
}

}  // namespace

ComparisonNoise plan_comparison(const ComparedColumns& columns, Adjacency adjacency, double mu) {
  const bool features = adjacency != Adjacency::label;  // are private
  const int numbers = columns.numbers();
  int marginals = 0;  // without the label's
  for (const Marginal& marginal : marginals_of(columns, kCoarseCells)) {
    marginals += marginal.column < numbers + static_cast<int>(columns.categories.size()) ? 1 : 0;
  }
  const bool label_only = !features;
  const int label = columns.classes > 0 ? static_cast<int>(paired_columns(columns).size()) - 1 : -1;
  int tables = 0;  // tables that look at what is private
  for (const PairCells& table : pair_shape(columns).tables()) {
    tables += features || table.column == label || table.other == label ? 1 : 0;
  }
  const double pairs = tables > 0 ? pairs_weight : 0;
  const bool two = columns.classified() && has_pair_classifier(columns);
  const double each = two ? tested_weight / 2 : tested_weight;
  const double tested = columns.classified() ? each : 0;
  const double bayes = has_pair_classifier(columns) ? each : 0;
  const double moments = features && numbers > 0 ? moments_weight : 0;
  const double cells = features && marginals > 0 ? marginals_weight : 0;
  const double balance = columns.classes > 0 ? balance_weight : 0;
  const double all = pairs + tested + bayes + moments + cells + balance;
  if (all == 0) refuse("No column is left whose values are private.");
  const auto part = [&](double weight) { return mu * std::sqrt(weight / all); };

  ComparisonNoise noise;
  noise.pairs.label_only = label_only;
  if (pairs > 0) noise.pairs.cell = bin_noise(adjacency, part(pairs / tables));
  if (bayes > 0) noise.pairs.right = bin_noise(adjacency, part(bayes));
  if (tested > 0) noise.tested = bin_noise(adjacency, part(tested));
  if (balance > 0) noise.balance = bin_noise(adjacency, part(balance));
  if (cells > 0) noise.cell = bin_noise(adjacency, part(cells / marginals));
  if (moments > 0) {
    const auto r = static_cast<double>(MomentFrame::max_resolution);
    noise.moments =
        moment_noise(adjacency, CovarianceShape::full, part(moments), std::sqrt(count_share),
                     std::sqrt(sum_share) / r, std::sqrt(product_share) / (r * r), r);
  }
  return noise;
}

TableStatistics add_noise(RandomStream& random, const TableCounts& exact,
                          const ComparedColumns& columns, const std::vector<Marginal>& marginals,
                          const ComparisonNoise& noise) {
  if (exact.marginals.size() != marginals.size()) refuse("The counts are of other columns.");
  const auto released = [&](std::int64_t count, double deviation) {
    return to_double(deviation > 0 ? noisy(random, RoundedNormal(deviation), count)
                                   : Int128{count});
  };
  TableStatistics table = exact_statistics(exact, columns, marginals);
  table.rows = NAN;
  table.right = released(exact.right(), noise.tested);
  table.wrong = released(exact.wrong(), noise.tested);
  const int label = columns.numbers() + static_cast<int>(columns.categories.size());
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    poll();
    const double deviation = marginals[m].column == label ? noise.balance : noise.cell;
    for (int i = 0; i < marginals[m].cells; ++i) {
      table.marginals[m][static_cast<std::size_t>(i)] =
          released(exact.marginals[m].count(0, i), deviation);
    }
  }
  if (noise.moments.count > 0) {
    const MomentTotals::Class* all =
        exact.moments.classes.empty() ? nullptr : &exact.moments.classes[0];
    table.moments = add_noise(random, all, columns.numbers(), noise.moments, columns.box().step(0));
  }
  return table;
}

PairStatistics add_pair_noise(RandomStream& random, const BinCounts& exact,
                              const ComparedColumns& columns, const PairNoise& noise) {
  const PairShape shape = pair_shape(columns);
  const std::int64_t bins = shape.bins() + (has_pair_classifier(columns) ? 2 : 0);
  if (exact.bins != 0 && exact.bins != bins) refuse("The counts are of other tables.");
  const int label = columns.classes > 0 ? static_cast<int>(shape.columns.size()) - 1 : -1;
  PairStatistics table;
  const auto released = [&](std::int64_t cell, double deviation) {
    const std::int64_t count = exact.count(0, static_cast<int>(cell));
    return to_double(deviation > 0 ? noisy(random, RoundedNormal(deviation), count)
                                   : Int128{count});
  };
  for (const PairCells& t : shape.tables()) {
    poll();
    for (int i = 0; i < t.cells; ++i) {
      table.cells.push_back(released(t.first + i, noise.of(t, label)));
    }
  }
  if (bins == shape.bins()) return table;
  table.right = released(shape.bins(), noise.right);
  table.wrong = released(shape.bins() + 1, noise.right);
  return table;
}

std::vector<double> error_bounds(const ComparedColumns& columns,
                                 const std::vector<Marginal>& marginals,
                                 const TableStatistics& noisy, const ComparisonNoise& noise,
                                 const GaussianModel* model) {
  RandomStream random(RandomStream::Key{});  // nothing secret: what is simulated was released
  TableStatistics truth = noisy;
  truth.score = score_of(columns, truth, model);
  std::vector<std::vector<double>> errors;  // of each measure
  std::size_t simulations = kFewest;
  for (std::size_t n = 0; n < simulations; ++n) {
    poll();
    TableStatistics fresh = again(random, truth, columns, marginals, noise);
    fresh.score = score_of(columns, fresh, model);
    const std::vector<Measure> apart = compare_tables(columns, marginals, truth, fresh);
    errors.resize(apart.size());
    simulations = std::clamp(kSimulated / std::max<std::size_t>(apart.size(), 1), kFewest, kMost);
    for (std::size_t i = 0; i < apart.size(); ++i) {
      const double error = std::abs(apart[i].difference);
      errors[i].push_back(std::isnan(error) ? HUGE_VAL : error);
    }
  }
  std::vector<double> bounds;
  const auto at = static_cast<std::ptrdiff_t>(kConfidence * static_cast<double>(simulations));
  for (std::vector<double>& error : errors) {
    std::nth_element(error.begin(), error.begin() + at, error.end());
    bounds.push_back(error[static_cast<std::size_t>(at)]);
  }
  return bounds;
}

}  // namespace dpmix
