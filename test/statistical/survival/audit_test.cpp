// A black-box audit of survival curves: what releases of two neighbours prove about epsilon, from
// the noisy counts and from the curves made of them. Would falsify docs/proofs/survival.md.
#include <gtest/gtest.h>

#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/sampler.hpp"
#include "core/survival/bands.hpp"
#include "statistical/privacy_audit.hpp"
#include "tables/patients.hpp"

namespace dpmix::test {
namespace {

constexpr int kBins = 4;

// One more person, with an event in the second bin; or (replace) one who was censored in the last.
struct Neighbours {
  std::vector<Patient> one, other;
};
Neighbours neighbours(bool replace) {
  std::mt19937_64 random(21);
  Neighbours pair;
  pair.one = pair.other = Hospital{{.08}}.patients(random, 60);
  pair.one.push_back({7, 1});
  if (replace) pair.other.push_back({30, 0});
  return pair;
}

AuditResult audit(bool replace, double noise_share, bool of_curve, const AuditClaim& claim) {
  const double sensitivity = replace ? std::sqrt(2.0) : 1;
  const double scale = noise_share * sensitivity / gdp_mu(claim.epsilon, claim.delta);
  NoiseSampler sampler({.family = Family::gaussian, .sensitivity = sensitivity, .scale = scale});
  RandomStream random({22});
  const Neighbours pair = neighbours(replace);
  const SurvivalTable one = counted(pair.one, kBins, 1, 20),
                      other = counted(pair.other, kBins, 1, 20);
  const auto score = [&](SurvivalTable table) {
    for (double& count : table.cell) count += static_cast<double>(sampler(random));
    table.stddev = scale;
    if (of_curve) {
      const Band band = survival_band(table, .95);
      return band.size() < 2 ? 2 : band[1].estimate;
    }
    // The likelihood's: along the difference of the two tables.
    double sum = 0;
    for (std::size_t i = 0; i < table.cell.size(); ++i) {
      sum += table.cell[i] * (one.cell[i] - other.cell[i]);
    }
    return sum;
  };
  return audit_scores([&] { return score(one); }, [&] { return score(other); }, claim);
}

TEST(SurvivalAudit, FindsNothingInTheClaim) {
  for (const bool replace : {false, true}) {
    for (const bool of_curve : {false, true}) {
      const AuditClaim claim{1, 1e-5, 1 - 1e-10, 30000};
      EXPECT_FALSE(audit(replace, 1, of_curve, claim).refutes(claim)) << replace << of_curve;
    }
  }
}

TEST(SurvivalAudit, FindsTooLittleNoise) {
  const AuditClaim claim{1, 1e-5, .99, 60000};
  for (const bool replace : {false, true}) {
    EXPECT_TRUE(audit(replace, .25, false, claim).refutes(claim)) << replace;
  }
}

}  // namespace
}  // namespace dpmix::test
