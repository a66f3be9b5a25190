// Would falsify docs/proofs/regression.md: in each pass of a logistic regression neighbouring
// tables, through the very integers that are released, never differ by more than that pass's share
// of mu.
#include <algorithm>

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

// Coded, of a unit: often all the same, which moves sums farthest; or any, and fewer.
std::vector<std::vector<double>> drawn_rows(std::mt19937_64& random, const Design& design,
                                            int most) {
  std::vector<std::vector<double>> rows;
  const bool same = random() % 2 == 0;
  const int count = same ? most : 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  for (int i = 0; i < count; ++i) {
    rows.push_back(same && i > 0 ? rows[0] : awkward_row(random, design));
  }
  return coded_rows(design, rows);
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
  const auto [adjacency, most] = GetParam();
  const bool label = adjacency == Adjacency::label;
  const ProtectedPart part = label ? ProtectedPart::target : ProtectedPart::row;
  std::mt19937_64 random(6);
  Wide farthest_slope = 0, farthest_information = 0;
  for (Design design : {one_term(), wide_design()}) {
    design.keeps_missing_target = label;
    const LogisticPlan plan = plan_for(design, adjacency, part, most);
    const int p = design.columns() + 1;
    const auto row = [&, rows = most] { return drawn_rows(random, design, rows); };
    const Wide slope_share = squared(Wide(adjacency == Adjacency::replace ? 2 : 1) * most *
                                     1048576 / Wide(plan.pass[1].slope));
    for (int trial = 0; trial < 3000; ++trial) {
      LogisticFrame frame = drawn_frame(random, p, 2);
      std::vector<std::vector<double>> one = row(), other;
      int k = static_cast<int>(random() % 2), other_k = k;
      if (label) {
        other = one;
        const double target = std::array{-1., 0., 1.}[random() % 3];
        for (auto& of : other) of.back() = target;
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
          for (auto& of : other) {
            for (double& z : of) z = -z;
            of.back() = -1;
          }
          for (auto& of : one) of.back() = -1;
        }
      }
      const auto in = [&](const std::vector<std::vector<double>>& rows, int of) {
        return pass_totals(frame, rows, std::vector<int>(rows.size(), of));
      };
      const Distance far = distance(in(one, k), in(other, other_k), plan.pass[1], 2);
      ASSERT_LE(far.slope, slope_share) << trial;
      farthest_slope = std::max(farthest_slope, far.slope / slope_share);
      if (label) continue;
      const Wide share = Wide(adjacency == Adjacency::replace ? 2 : 1) *
                         squared(most * squared(Wide(1048576)) / Wide(plan.pass[1].square));
      ASSERT_LE(far.information, share) << trial;
      farthest_information = std::max(farthest_information, far.information / share);
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
                                         Neighbouring{Adjacency::add_remove, 5},
                                         Neighbouring{Adjacency::replace, 5}),
                         [](const auto& info) {
                           return std::string(name(info.param.adjacency)) + "_" +
                                  std::to_string(info.param.rows_per_unit);
                         });

// In exact arithmetic: the shares of all passes add up to mu^2 and no more.
TEST(LogisticPlan, SpendsMuInExactArithmetic) {
  for (const Design& design : {one_term(), wide_design()}) {
    for (const auto& [adjacency, rows] :
         {Neighbouring{Adjacency::add_remove, 1}, Neighbouring{Adjacency::replace, 1},
          Neighbouring{Adjacency::label, 1}, Neighbouring{Adjacency::replace, 7}}) {
      const bool label = adjacency == Adjacency::label;
      const LogisticPlan plan =
          plan_for(design, adjacency, label ? ProtectedPart::target : ProtectedPart::row, rows);
      const Wide r = 1048576;
      const int two = adjacency == Adjacency::replace ? 2 : 1;
      Wide spent = squared(Wide(plan.moments.mu));
      for (const LogisticNoise& noise : plan.pass) {
        spent += squared(Wide(two * rows) * r / Wide(noise.slope));
        EXPECT_EQ(noise.square == 0, label);
        if (label) continue;
        // A square counts once, a product of two coordinates twice by its symmetry.
        EXPECT_GE(squared(Wide(noise.product)) * 2, squared(Wide(noise.square)));
        spent += Wide(two) * squared(rows * r * r / Wide(noise.square));
      }
      EXPECT_LE(spent, squared(Wide(plan.mu)));
      EXPECT_GT(spent, squared(Wide(plan.mu)) * (1 - Wide(1e-6)));
    }
  }
}

}  // namespace
}  // namespace dpmix::test
