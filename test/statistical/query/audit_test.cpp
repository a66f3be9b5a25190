// The audit itself: finds what is there, up to what its runs can show, and invents nothing.
#include "statistical/privacy_audit.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/noise/gaussian/gdp.hpp"

namespace dpmix::test {
namespace {

TEST(PrivacyAudit, ClopperPearsonIsExact) {
  EXPECT_EQ(clopper_pearson_lower(0, 100, .005), 0);
  EXPECT_EQ(clopper_pearson_upper(100, 100, .005), 1);
  EXPECT_NEAR(clopper_pearson_upper(0, 100, .005), 1 - std::pow(.005, .01), 1e-14);
  EXPECT_NEAR(clopper_pearson_lower(100, 100, .005), std::pow(.005, .01), 1e-14);
  // P(Binomial(100, p) >= 8) = .005 at the lower bound.
  const double p = clopper_pearson_lower(8, 100, .005);
  double tail = 1;
  for (int k = 0; k < 8; ++k) {
    tail -= std::exp(std::lgamma(101.) - std::lgamma(k + 1.) - std::lgamma(101. - k)) *
            std::pow(p, k) * std::pow(1 - p, 100 - k);
  }
  EXPECT_NEAR(tail, .005, 1e-12);
  EXPECT_NEAR(p, .026301152477438257, 1e-12);  // scipy.stats.beta.ppf(.005, 8, 93)
}

// Two Gaussians mu apart: (epsilon, gdp_delta) holds and no more.
AuditResult audit_gaussians(double mu, const AuditClaim& claim, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return audit_scores([&] { return normal(random); }, [&] { return mu + normal(random); }, claim);
}

TEST(PrivacyAudit, FindsNothingInATrueClaim) {
  // Noise of exactly that guarantee, and of one that hardly holds. The seeds are fixed; at this
  // confidence 200 audits of true claims would go wrong with probability 2e-7.
  for (const double epsilon : {.5, 1., 2.}) {
    AuditClaim claim{epsilon, 1e-5, 1 - 1e-9, 3000};
    for (std::uint64_t seed = 0; seed < 66; ++seed) {
      EXPECT_FALSE(audit_gaussians(gdp_mu(epsilon, 1e-5), claim, seed).refutes(claim));
    }
  }
}

TEST(PrivacyAudit, FindsAFalseClaim) {
  const AuditClaim claim{1, 1e-5, .99, 30000};
  // A fourth of the noise that the claim asks for.
  EXPECT_TRUE(audit_gaussians(4 * gdp_mu(1, 1e-5), claim, 1).refutes(claim));
  // Randomised response at epsilon 1.5.
  std::mt19937_64 random(2);
  const double p = 1 / (1 + std::exp(-1.5));
  std::bernoulli_distribution yes(p), no(1 - p);
  const AuditResult found =
      audit_event([&] { return yes(random); }, [&] { return no(random); }, claim);
  EXPECT_TRUE(found.refutes(claim));
  EXPECT_LE(found.epsilon, 1.5);
  EXPECT_GE(found.epsilon, 1.4);
}

}  // namespace
}  // namespace dpmix::test
