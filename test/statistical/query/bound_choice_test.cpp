// Suggested bounds: how far they are from the best ones, and that they tell no more of a row than
// the histogram that they are made from.
//
// Draws come from a fixed stream: a run that fails by chance has probability below 1e-9.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "core/noise/calibration.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/bound_choice.hpp"
#include "core/query/contribution.hpp"
#include "core/query/plan.hpp"
#include "statistical/privacy_audit.hpp"

namespace dpmix {
namespace {

const double kRoot2 = std::sqrt(2.);

std::vector<double> counts_of(const std::vector<double>& edges, const std::vector<double>& values) {
  std::vector<double> counts(edges.size() - 1);
  for (const double value : values) {
    const auto bin = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin() - 1;
    counts[static_cast<std::size_t>(bin)] += 1;
  }
  return counts;
}

class Suggestion {
 public:
  Suggestion(const std::vector<double>& values, bool whole, double epsilon, double planned)
      : whole_(whole),
        edges_(bound_bins(whole)),
        exact_(counts_of(edges_, values)),
        deviation_(kRoot2 / epsilon),
        row_noise_(kRoot2 / planned),
        noise_(calibrate_on_lattice(Family::laplace, epsilon, 0, 1, std::nullopt).law) {}

  std::optional<BoundChoice> operator()(RandomStream& random) const {
    std::vector<double> counts = exact_;
    for (double& count : counts) count += static_cast<double>(noise_(random));
    return choose_bounds({edges_, counts, deviation_, whole_}, row_noise_);
  }

 private:
  bool whole_;
  std::vector<double> edges_, exact_;
  double deviation_, row_noise_;
  NoiseSampler noise_;
};

double error_of_sum(const std::vector<double>& values, double lower, double upper, double noise) {
  double moved = 0;
  for (const double value : values) moved += value - std::clamp(value, lower, upper);
  return std::hypot(moved, noise * std::max(std::fabs(lower), std::fabs(upper)));
}

struct Column {
  std::string name;
  bool whole;
  std::vector<double> values;
};

std::vector<Column> columns() {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> exponential;
  std::vector<Column> out = {{"codes", true, {}},       {"age", true, {}},
                             {"years", true, {}},       {"visits", true, {}},
                             {"log-normal", false, {}}, {"gains", false, {}},
                             {"centred", false, {}},    {"grades", true, {}}};
  for (int i = 0; i < 20000; ++i) {
    const double draw[] = {
        static_cast<double>(i % 9),
        std::floor(std::clamp(40 + 15 * normal(random), 0., 90.)),
        2020 - std::floor(10 * exponential(random)),
        std::floor(3 * exponential(random)),
        std::exp(6 + .6 * normal(random)),
        i % 3 == 0 ? 0 : 1000 * exponential(random),
        5 * normal(random),
        static_cast<double>(1 + i % 5),
    };
    for (std::size_t c = 0; c < out.size(); ++c) out[c].values.push_back(draw[c]);
  }
  return out;
}

// The suggestion is paid from the same total as the sum; the best bounds are known for free.
TEST(BoundChoice, IsNearTheBestBounds) {
  constexpr double kSuggestion = .1, kSum = .5;
  constexpr int kRuns = 60;
  RandomStream random({31});
  int good = 0;
  for (const Column& column : columns()) {
    std::vector<double> ends = column.values;
    std::sort(ends.begin(), ends.end());
    const double lowest = std::min(0., ends.front());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = ends.size(); i-- > 0 && i + 400 > ends.size();) {
      const double upper = ends[i];
      const double lower = lowest < 0 ? std::max(lowest, -upper) : 0;
      best =
          std::min(best, error_of_sum(column.values, lower, upper, kRoot2 / (kSuggestion + kSum)));
    }
    const Suggestion suggest(column.values, column.whole, kSuggestion, kSum);
    double squares = 0;
    for (int run = 0; run < kRuns; ++run) {
      const auto choice = suggest(random);
      ASSERT_TRUE(choice) << column.name;
      const double error = error_of_sum(column.values, choice->lower, choice->upper, kRoot2 / kSum);
      squares += error * error;
    }
    const double ratio = std::sqrt(squares / kRuns) / best;
    std::printf("%-12s %.2f times the error of the best bounds\n", column.name.c_str(), ratio);
    EXPECT_LE(ratio, 3.5) << column.name;
    good += ratio <= 1.6 ? 1 : 0;
  }
  EXPECT_GE(good, 6);
}

// Of an empty table nothing is suggested.
TEST(BoundChoice, InventsNoRows) {
  const Suggestion suggest({}, false, .1, .5);
  RandomStream random({32});
  int found = 0;
  for (int run = 0; run < 2000; ++run) found += suggest(random) ? 1 : 0;
  EXPECT_LE(found, 6);  // 1e-4 each: above 6 with probability 1e-9
}

TEST(BoundChoice, TellsNoMoreThanItsHistogram) {
  std::vector<double> values(100, 5);
  values.resize(200, 3);
  std::vector<double> neighbour = values;
  neighbour.push_back(6);
  const Suggestion first(values, true, 1, 100), second(neighbour, true, 1, 100);
  RandomStream random({33});
  const auto reaches_neighbour = [&](const Suggestion& suggestion) {
    const auto choice = suggestion(random);
    return choice && choice->upper == 6;
  };
  const auto audit = [&](double epsilon) {
    const test::AuditClaim claim{epsilon, 0, 1 - 1e-9, 15000};
    return test::audit_event([&] { return reaches_neighbour(first); },
                             [&] { return reaches_neighbour(second); }, claim)
        .refutes(claim);
  };
  EXPECT_FALSE(audit(1));
  EXPECT_TRUE(audit(.2));  // what the audit can see
}

// Of units by their number of rows, with the noise that dpmix.suggest_unit_bounds() makes.
using UnitRows = std::vector<double>;  // of each unit

StatisticShift shift_of_unit_bins(Adjacency adjacency) {
  const int bins = static_cast<int>(unit_bins().size()) - 2;
  return shift_of(kCountLattice, adjacency, {1, 1, 1}, {1, bins});
}

class UnitSuggestion {
 public:
  UnitSuggestion(const UnitRows& rows, double epsilon, double shift, double planned)
      : edges_(unit_bins()),
        exact_(counts_of(edges_, rows)),
        deviation_(kRoot2 * shift / epsilon),
        row_noise_(kRoot2 / planned),
        noise_(calibrate_on_lattice(Family::laplace, epsilon, 0, shift, std::nullopt).law) {}

  std::vector<double> counts(RandomStream& random) const {
    std::vector<double> counts = exact_;
    for (std::size_t i = 1; i < counts.size(); ++i) {
      counts[i] += static_cast<double>(noise_(random));
    }
    return counts;
  }
  std::optional<UnitBound> operator()(RandomStream& random) const {
    return choose_unit_rows({edges_, counts(random), deviation_, true}, row_noise_);
  }

 private:
  std::vector<double> edges_, exact_;
  double deviation_, row_noise_;
  NoiseSampler noise_;
};

// Neighbours: a unit with any number of rows comes; under replace one's number changes to any, or
// to none.
TEST(UnitBins, NoUnitMovesThemFurther) {
  std::mt19937_64 random(7);
  const std::vector<double> edges = unit_bins();
  const auto any_rows = [&] {
    return std::floor(std::exp2(std::uniform_real_distribution(0., 21.)(random)));
  };
  double most[2] = {}, most_cells[2] = {};
  for (int trial = 0; trial < 3000; ++trial) {
    UnitRows rows;
    for (int i = 0; i < trial % 20; ++i) rows.push_back(any_rows());
    const bool replace = trial % 2 == 1;
    UnitRows neighbour = rows;
    if (replace && !rows.empty()) {
      if (trial % 7 == 0) {
        neighbour.pop_back();
      } else {
        neighbour.back() = any_rows();
      }
    } else {
      neighbour.push_back(any_rows());
    }
    const std::vector<double> a = counts_of(edges, rows), b = counts_of(edges, neighbour);
    double l1 = 0, cells = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      l1 += std::fabs(a[i] - b[i]);
      cells += a[i] != b[i] ? 1 : 0;
    }
    EXPECT_EQ(a[0], 0);
    EXPECT_EQ(b[0], 0);
    most[replace] = std::max(most[replace], l1);
    most_cells[replace] = std::max(most_cells[replace], cells);
  }
  EXPECT_EQ(most[0], shift_of_unit_bins(Adjacency::add_remove).l1);
  EXPECT_EQ(most[1], shift_of_unit_bins(Adjacency::replace).l1);
  EXPECT_EQ(most_cells[0], shift_of_unit_bins(Adjacency::add_remove).groups);
  EXPECT_EQ(most_cells[1], shift_of_unit_bins(Adjacency::replace).groups);
}

// A unit moves from one bin to another: noise for one bin alone is not enough, and the audit sees
// it.
TEST(UnitBins, TellNoMoreThanTheirPrice) {
  UnitRows rows(40, 2.), neighbour = rows;
  rows.push_back(3);
  neighbour.push_back(5);
  RandomStream random({34});
  const auto audit = [&](double shift) {
    const test::AuditClaim claim{1, 0, 1 - 1e-9, 15000};
    const UnitSuggestion first(rows, 1, shift, 1), second(neighbour, 1, shift, 1);
    const auto is_second = [&](const UnitSuggestion& suggestion) {
      const std::vector<double> counts = suggestion.counts(random);
      return counts[3] <= 0 && counts[5] >= 1;  // bins of 3 and of 5 rows
    };
    return test::audit_event([&] { return is_second(first); }, [&] { return is_second(second); },
                             claim)
        .refutes(claim);
  };
  EXPECT_FALSE(audit(shift_of_unit_bins(Adjacency::replace).l1));
  EXPECT_TRUE(audit(shift_of_unit_bins(Adjacency::add_remove).l1));
}

TEST(ChooseUnitRows, TellsNoMoreThanItsHistogram) {
  UnitRows rows(100, 3);
  rows.resize(200, 4);
  UnitRows neighbour = rows;
  neighbour.push_back(5);
  RandomStream random({35});
  const UnitSuggestion first(rows, 1, 1, 100), second(neighbour, 1, 1, 100);
  const auto reaches_neighbour = [&](const UnitSuggestion& suggestion) {
    const auto bound = suggestion(random);
    return bound && bound->rows >= 5;
  };
  const auto audit = [&](double epsilon) {
    const test::AuditClaim claim{epsilon, 0, 1 - 1e-9, 15000};
    return test::audit_event([&] { return reaches_neighbour(first); },
                             [&] { return reaches_neighbour(second); }, claim)
        .refutes(claim);
  };
  EXPECT_FALSE(audit(1));
  EXPECT_TRUE(audit(.2));  // what the audit can see
}

TEST(ChooseUnitRows, InventsNoUnits) {
  const UnitSuggestion suggest({}, .1, 1, .5);
  RandomStream random({36});
  int found = 0;
  for (int run = 0; run < 2000; ++run) found += suggest(random) ? 1 : 0;
  EXPECT_LE(found, 6);
}

double error_of_count(const UnitRows& rows, double most, double noise) {
  double lost = 0;
  for (const double each : rows) lost += std::max(0., each - most);
  return std::hypot(lost, noise * most);
}

// The suggestion is paid from the same total as the count; the best number is known for free.
TEST(ChooseUnitRows, IsNearTheBestNumber) {
  constexpr double kSuggestion = .1, kCount = .5;
  constexpr int kRuns = 60;
  std::mt19937_64 draws(8);
  RandomStream random({37});
  std::vector<std::pair<std::string, UnitRows>> tables = {
      {"even", {}}, {"geometric", {}}, {"log-normal", {}}, {"one or many", {}}, {"heavy", {}}};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 20000; ++i) {
    const double draw[] = {4, 1 + std::floor(-3 * std::log(1 - uniform(draws))),
                           std::ceil(std::exp(2 + normal(draws))), i % 50 == 0 ? 40. : 1.,
                           std::min(1e5, std::floor(std::pow(1 - uniform(draws), -.8)))};
    for (std::size_t t = 0; t < tables.size(); ++t) tables[t].second.push_back(draw[t]);
  }
  for (const auto& [name, rows] : tables) {
    double best = std::numeric_limits<double>::infinity();
    for (double most = 1; most <= 1e5; most = std::ceil(most * 1.05)) {
      best = std::min(best, error_of_count(rows, most, kRoot2 / (kSuggestion + kCount)));
    }
    const UnitSuggestion suggest(rows, kSuggestion, 1, kCount);
    double squares = 0;
    for (int run = 0; run < kRuns; ++run) {
      const auto bound = suggest(random);
      ASSERT_TRUE(bound) << name;
      const double error = error_of_count(rows, bound->rows, kRoot2 / kCount);
      squares += error * error;
    }
    const double ratio = std::sqrt(squares / kRuns) / best;
    std::printf("%-12s %.2f times the error of the best number\n", name.c_str(), ratio);
    EXPECT_LE(ratio, 3.5) << name;
  }
}

}  // namespace
}  // namespace dpmix
