// Noise in a box: draws against their law, enumerated, and an audit of what they claim.
//
// A right sampler fails any one of these with probability at most 1e-9; keys are fixed.
#include "core/query/box_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/noise/lattice_moments.hpp"
#include "statistical/goodness_of_fit.hpp"
#include "statistical/privacy_audit.hpp"
#include "unit/query/box_world.hpp"

namespace dpmix {
namespace {

// digits: with few the first ones hardly ever tell, and with 64 nearly always.
TEST(BoxRadiusFrequency, IsTheLaw) {
  for (const int digits : {64, 3}) {
    for (const auto& [power, rate] : {std::pair{2, .8}, {3, .2}, {5, 2.5}, {32, 1.}}) {
      const test::BoxWorld world{rate, std::vector<int>(static_cast<std::size_t>(power), 1)};
      const auto law = world.radii();
      const BoxRadius radius(power, rate, digits);
      RandomStream random({31});
      const std::uint64_t trials = digits == 64 ? test::draws(400'000) : 20'000;
      std::vector<std::uint64_t> count(law.size());
      for (std::uint64_t i = 0; i < trials; ++i) {
        const UInt128 r = radius(random);
        ++count[std::min(static_cast<std::size_t>(r), law.size() - 1)];
      }
      EXPECT_GT(test::chi_square_p_value(trials, law, count), 1e-9) << power << " " << digits;
      if (digits < 64) continue;
      const auto other = test::BoxWorld{rate * 1.03, world.steps}.radii();
      std::vector<double> longer = other;
      longer.resize(law.size());
      EXPECT_LT(test::chi_square_p_value(trials, longer, count), 1e-9) << power;
    }
  }
}

std::vector<StatisticNoise> noise_of(double rate, const std::vector<int>& steps) {
  std::vector<StatisticNoise> noise;
  for (const int a : steps) {
    const NoiseLaw law{.family = Family::laplace,
                       .sensitivity = static_cast<double>(a),
                       .scale = a / rate,
                       .components = static_cast<int>(steps.size())};
    noise.push_back({law, rate, 0});
  }
  return noise;
}

// Of two statistics at once: cells of their plane.
TEST(BoxDrawsFrequency, AreTheJointLaw) {
  constexpr std::int64_t kReach = 6, kSide = 2 * kReach + 1;
  for (const std::vector<int>& steps : {std::vector{1, 1}, {1, 2}, {2, 4}, {3, 1}}) {
    const test::BoxWorld world{1.1, steps};
    const auto radii = world.radii();
    std::vector<double> law;
    double rest = 1;
    for (std::int64_t cell = 0; cell < kSide * kSide; ++cell) {
      law.push_back(world.of(radii, {cell / kSide - kReach, cell % kSide - kReach}));
      rest -= law.back();
    }
    law.push_back(rest);
    const BoxDraws draws = *box_draws(noise_of(world.rate, steps));
    RandomStream random({32});
    const std::uint64_t trials = test::draws(400'000);
    std::vector<std::uint64_t> count(law.size());
    for (std::uint64_t i = 0; i < trials; ++i) {
      const auto z = draws(random);
      const bool inside =
          std::ranges::all_of(z, [](Int128 x) { return x >= -kReach && x <= kReach; });
      ++count[inside ? static_cast<std::size_t>((z[0] + kReach) * kSide + z[1] + kReach)
                     : law.size() - 1];
    }
    EXPECT_GT(test::chi_square_p_value(trials, law, count), 1e-9) << steps[0] << " " << steps[1];
  }
}

// Wide statistics, beyond 64 bits: as far off as their law says.
TEST(BoxDrawsFrequency, ReachAsFarAsTheirTailsSay) {
  const std::vector<StatisticNoise> noise = [] {
    auto made = noise_of(.01, {1, 1, 1});
    made[1].law.sensitivity = 0x1p58;
    made[1].law.scale = 0x1p58 / .01;
    return made;
  }();
  const BoxDraws draws = *box_draws(noise);
  RandomStream random({33});
  const std::uint64_t trials = test::draws(200'000);
  for (const double level : {.5, .9, .99}) {
    std::uint64_t beyond[2] = {};
    for (std::uint64_t i = 0; i < trials / 4; ++i) {
      const auto z = draws(random);
      for (const int s : {0, 1}) {
        const double reach = lattice_quantile(noise[static_cast<std::size_t>(s)].law, 1, level);
        const auto size = std::fabs(static_cast<double>(z[static_cast<std::size_t>(s)]));
        beyond[s] += size > reach;
      }
    }
    for (const std::uint64_t out : beyond) {
      EXPECT_LT(test::clopper_pearson_lower(out, trials / 4, 1e-9), (1 - level) * (1 + 1e-6));
      EXPECT_GT(test::clopper_pearson_upper(out, trials / 4, 1e-9), (1 - level) * .98);
    }
  }
}

// A row moves all statistics as far as it can; the score is what tells most of it.
TEST(BoxNoiseAudit, ShowsNoMoreThanItsRate) {
  const std::vector<int> steps = {1, 5, 2};
  for (const double rate : {1., 2.}) {
    const BoxDraws draws = *box_draws(noise_of(rate, steps));
    RandomStream random({34});
    const auto score = [&](int rows) {
      const auto z = draws(random);
      double least = 1e9, most = -1e9;
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double place = static_cast<double>(z[i]) / steps[i] + rows;
        least = std::min(least, place);
        most = std::max(most, place);
      }
      return least + most;
    };
    const test::AuditClaim claim{.epsilon = 1, .delta = 0, .confidence = 1 - 1e-9, .runs = 200'000};
    const auto found =
        test::audit_scores([&] { return score(0); }, [&] { return score(1); }, claim);
    // Noise of half of what the claim needs is found out.
    EXPECT_EQ(found.refutes(claim), rate == 2) << found.epsilon;
  }
}

}  // namespace
}  // namespace dpmix
