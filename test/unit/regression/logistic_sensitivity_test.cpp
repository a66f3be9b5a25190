// Would falsify docs/proofs/regression.md: in each pass of a logistic regression neighbouring
// tables, through the very integers that are released, never differ by more than that pass's share
// of mu.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "tables/logistic_tables.hpp"

namespace dpmix::test {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>,
                                           boost::multiprecision::et_off>;

Wide wide(Int128 value) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  return Wide(high) * Wide(18446744073709551616.) + Wide(static_cast<std::uint64_t>(value));
}

Wide squared(const Wide& x) {
  return x * x;
}

// Squared distances in deviations of the noise. information: 0 where it is exact, and equal.
struct Distance {
  Wide slope = 0, information = 0;
};

Distance distance(const MomentTotals& a, const MomentTotals& b, const LogisticNoise& noise,
                  int classes) {
  Distance far;
  for (int k = 0; k < classes; ++k) {
    const auto s = static_cast<std::size_t>(slope_class(k)),
               h = static_cast<std::size_t>(information_class(k, classes));
    const std::size_t p = a.classes[s].sums.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < p; ++i) {
      far.slope += squared(wide(a.classes[s].sums[i] - b.classes[s].sums[i]) / Wide(noise.slope));
      for (std::size_t j = i; j < p; ++j, ++at) {
        const Int128 difference = a.classes[h].products[at] - b.classes[h].products[at];
        const double sigma = i == j ? noise.square : noise.product;
        if (sigma == 0) {
          EXPECT_EQ(difference, 0) << "released exactly, but differs";
        } else {
          far.information += squared(wide(difference) / Wide(sigma));
        }
      }
    }
  }
  return far;
}

// Any frame will do: it is public. Whitening of all sizes, so that rows are clipped and are not.
LogisticFrame drawn_frame(std::mt19937_64& random, int p, int classes) {
  std::normal_distribution<double> normal;
  LogisticFrame frame;
  frame.seen.features = p;
  frame.seen.lower.assign(static_cast<std::size_t>(p), -1);
  frame.seen.upper.assign(static_cast<std::size_t>(p), 1);
  for (int k = 0; k < classes; ++k) {
    MomentFrame::Class seen{3, std::vector<double>(static_cast<std::size_t>(p), 0), {}};
    const double scale = std::exp(2 * normal(random));
    for (int i = 0; i < p * p; ++i) seen.whitening.push_back(scale * normal(random));
    frame.seen.classes.push_back(seen);
    const double far = std::exp(4 * normal(random));
    for (int i = 0; i < p; ++i) {
      frame.coefficients.push_back(
          std::clamp(std::round(far * normal(random) * 65536), -0x1p26, 0x1p26));
    }
  }
  return frame;
}

Design one_term() {
  Design design;
  design.terms = {number_term(0, 1)};
  return design;
}

Design wide_design() {
  Design design = mixed_design();
  design.target_lower = 0;
  design.target_upper = 1;
  return design;
}

LogisticPlan plan_for(const Design& design, Adjacency adjacency, ProtectedPart part,
                      int rows_per_unit = 1) {
  return plan_logistic({.norm2 = design.norm2(),
                        .epsilon = 1,
                        .delta = 1e-6,
                        .adjacency = adjacency,
                        .part = part,
                        .rows_per_unit = rows_per_unit},
                       design.frame(2));
}

struct Neighbouring {
  Adjacency adjacency;
  int rows_per_unit;
};

class LogisticSensitivity : public testing::TestWithParam<Neighbouring> {};

TEST_P(LogisticSensitivity, NeighboursStayWithinTheirShares) {
  const auto [adjacency, most_rows] = GetParam();
  const bool label = adjacency == Adjacency::label;
  const ProtectedPart part = label ? ProtectedPart::target : ProtectedPart::row;
  std::mt19937_64 random(6);
  Wide farthest_slope = 0, farthest_information = 0;
  for (Design design : {one_term(), wide_design()}) {
    design.keeps_missing_target = label;
    const LogisticPlan plan = plan_for(design, adjacency, part, most_rows);
    const int p = design.columns() + 1;
    const auto row = [&] { return coded_rows(design, {awkward_row(random, design)}); };
    const Wide slope_share = squared(most_rows * Wide(adjacency == Adjacency::replace ? 2 : 1) *
                                     1048576 / Wide(plan.pass[1].slope));
    // All rows of a unit are alike: then they move sums farthest.
    const auto unit = [&](const auto& rows, int k) {
      std::vector<std::vector<double>> all;
      for (int i = 0; i < most_rows; ++i) all.insert(all.end(), rows.begin(), rows.end());
      return std::pair(all, std::vector<int>(all.size(), k));
    };
    for (int trial = 0; trial < 3000; ++trial) {
      LogisticFrame frame = drawn_frame(random, p, 2);
      std::vector<std::vector<double>> one = row(), other;
      int k = static_cast<int>(random() % 2), other_k = k;
      if (label) {
        other = one;
        if (!other.empty()) other[0].back() = std::array{-1., 0., 1.}[random() % 3];
      } else if (adjacency == Adjacency::replace) {
        other = row();
        other_k = static_cast<int>(random() % 2);
        if (trial % 4 == 0 && !one.empty()) {  // z and -z, both as far from their target as can be
          other = one;
          other_k = k;
          for (double& b : frame.coefficients) b = 0;
          for (std::size_t i = 0; i < frame.seen.classes.size(); ++i) {
            auto& map = frame.seen.classes[i].whitening;
            const auto size = static_cast<std::size_t>(p);
            for (std::size_t n = 0; n < map.size(); n += size) map[n] = 0;  // of the constant
            frame.coefficients[i * size] = 0x1p26;
          }
          for (double& z : other[0]) z = -z;
          one[0].back() = other[0].back() = -1;
        }
      }
      const auto [rows, label_of] = unit(one, k);
      const auto [other_rows, other_label] = unit(other, other_k);
      const Distance far =
          distance(pass_totals(frame, rows, label_of), pass_totals(frame, other_rows, other_label),
                   plan.pass[1], 2);
      ASSERT_LE(far.slope, slope_share) << trial;
      farthest_slope = std::max(farthest_slope, far.slope / slope_share);
      if (label) continue;
      const Wide most = squared(Wide(most_rows)) * Wide(adjacency == Adjacency::replace ? 2 : 1) *
                        squared(squared(Wide(1048576)) / Wide(plan.pass[1].square));
      ASSERT_LE(far.information, most) << trial;
      farthest_information = std::max(farthest_information, far.information / most);
    }
  }
  std::printf("largest share: slope %.5f, information %.5f\n", farthest_slope.convert_to<double>(),
              farthest_information.convert_to<double>());
  EXPECT_GT(farthest_slope, .99);
  if (!label) {
    EXPECT_GT(farthest_information, .98);
  }
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, LogisticSensitivity,
                         testing::Values(Neighbouring{Adjacency::add_remove, 1},
                                         Neighbouring{Adjacency::replace, 1},
                                         Neighbouring{Adjacency::label, 1},
                                         Neighbouring{Adjacency::add_remove, 3},
                                         Neighbouring{Adjacency::replace, 3}),
                         [](const auto& info) {
                           return std::string(name(info.param.adjacency)) + "_" +
                                  std::to_string(info.param.rows_per_unit);
                         });

// In exact arithmetic: the shares of all passes add up to mu^2 and no more.
TEST(LogisticPlan, SpendsMuInExactArithmetic) {
  for (const Design& design : {one_term(), wide_design()}) {
    for (const Adjacency adjacency :
         {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
      const bool label = adjacency == Adjacency::label;
      const LogisticPlan plan =
          plan_for(design, adjacency, label ? ProtectedPart::target : ProtectedPart::row);
      const Wide r = 1048576;
      const int two = adjacency == Adjacency::replace ? 2 : 1;
      Wide spent = squared(Wide(plan.moments.mu));
      for (const LogisticNoise& noise : plan.pass) {
        spent += squared(Wide(two) * r / Wide(noise.slope));
        EXPECT_EQ(noise.square == 0, label);
        if (label) continue;
        // A square counts once, a product of two coordinates twice by its symmetry.
        EXPECT_GE(squared(Wide(noise.product)) * 2, squared(Wide(noise.square)));
        spent += Wide(two) * squared(r * r / Wide(noise.square));
      }
      EXPECT_LE(spent, squared(Wide(plan.mu)));
      EXPECT_GT(spent, squared(Wide(plan.mu)) * (1 - Wide(1e-6)));
    }
  }
}

}  // namespace
}  // namespace dpmix::test
