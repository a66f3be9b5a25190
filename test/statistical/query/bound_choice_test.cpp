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

}  // namespace
}  // namespace dpmix
