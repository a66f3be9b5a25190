// Three tables of one population, queries on each and joins of two, until its filter refuses: all
// answers together, audited on neighbours that differ in all rows of one unit in all three tables.
#include <gtest/gtest.h>

#include <vector>

#include "core/accounting/block_sums.hpp"
#include "core/accounting/many_blocks.hpp"
#include "core/noise/lattice_moments.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/contribution.hpp"
#include "core/query/plan.hpp"
#include "statistical/privacy_audit.hpp"

namespace dpmix::test {
namespace {

const AuditClaim kClaim{2, 1e-2, 1 - 1e-9, 60000};

// Rows of the unit that a release counts: of people, visits, jobs, and of joins of two of them.
const std::vector<int> kRows = {1, 3, 1, 3, 3, 1};

struct Answer {
  NoiseSampler noise;
  double change, weight;
};

// What is released until an account refuses. Together: one account for all tables, charged once for
// each release. Otherwise each of the three tables has its own, and its own queries.
std::vector<Answer> answers(Accountant accountant, Family family, bool together,
                            double noise_part) {
  const Decimal epsilon = Decimal::printed(kClaim.epsilon), delta = Decimal::printed(kClaim.delta);
  const double order =
      accountant == Accountant::renyi ? choose_order(kClaim.epsilon, kClaim.delta) : 0;
  const Filter filter(accountant, epsilon, delta, order);
  std::vector<Spending> spent(together ? 1 : 3);
  std::vector<Answer> found;
  for (std::size_t n = 0;; ++n) {
    const int rows = kRows[n % (together ? kRows.size() : 3)];
    const StatisticShift shift =
        shift_of(kCountLattice, Adjacency::add_remove, contribution_of(rows, std::nullopt), {1, 1});
    std::vector<StatisticNoise> noise(1);
    const QueryPlan plan =
        plan_query({.25, is_pure(family) ? 0 : 1e-4, family}, filter, {&shift, 1}, noise);
    const Spending charge = charge_of(plan, filter);
    Spending& payer = spent[n % spent.size()];
    if (!filter.admits(payer, charge)) return found;
    payer = payer + charge;
    const double deviation = lattice_moments(noise[0].law, 1).stddev * noise_part;
    const double change = rows / noise_part;  // the same as less noise
    found.push_back({NoiseSampler(noise[0].law), change, rows / (deviation * deviation)});
  }
}

AuditResult audit(std::vector<Answer> all, std::uint8_t seed) {
  RandomStream random({seed, 23});
  const auto score = [&](bool there) {
    double sum = 0;
    for (const Answer& answer : all) {
      sum +=
          answer.weight * (static_cast<double>(answer.noise(random)) + (there ? answer.change : 0));
    }
    return sum;
  };
  return audit_scores([&] { return score(false); }, [&] { return score(true); }, kClaim);
}

TEST(PopulationAudit, AllAnswersAboutOneUnitAreWithinTheAccount) {
  for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
    for (const Family family : {Family::gaussian, Family::laplace}) {
      const std::vector<Answer> all = answers(accountant, family, true, 1);
      EXPECT_GE(all.size(), 6u);
      EXPECT_FALSE(audit(all, static_cast<std::uint8_t>(family)).refutes(kClaim))
          << name(accountant) << " " << name(family);
    }
  }
}

TEST(PopulationAudit, HalfTheNoiseIsFoundOut) {
  EXPECT_TRUE(audit(answers(Accountant::gdp, Family::gaussian, true, .5), 1).refutes(kClaim));
}

// What the tables reveal together where each has a budget of its own.
TEST(PopulationAudit, AnAccountForEachTableIsFoundOut) {
  EXPECT_TRUE(audit(answers(Accountant::gdp, Family::gaussian, false, 1), 2).refutes(kClaim));
}

// A population with blocks: somebody is there in three of them and in a table without. Each release
// reads some, takes the person as a whole, and is charged to each block that it reads.
const BlockBudget kOfBlock{1, 1e-2, {Accountant::gdp, 0}};
const std::vector<std::vector<BlockRange>> kReads = {
    {{0, 0}}, {{1, 1}},          {{0, 2}},         {kAlways},
    {{2, 2}}, {kAlways, {1, 1}}, {{0, 0}, {2, 2}}, {kAlways, {0, 2}}};

// elsewhere: every second release is charged to a block of its own that the person is not in.
std::vector<Answer> answers_about_blocks(double noise_part, bool elsewhere) {
  const Filter filter(Accountant::gdp, Decimal::printed(kOfBlock.epsilon),
                      Decimal::printed(kOfBlock.delta), 0);
  const BlockFilter block_filter(filter);
  BlockSums sums;
  std::vector<Answer> found;
  std::size_t refused = 0;
  for (std::size_t n = 0; refused < kReads.size() && n < 400; ++n) {
    constexpr int rows = 3;
    const StatisticShift shift =
        shift_of(kCountLattice, Adjacency::replace, contribution_of(rows, std::nullopt), {1, 1});
    std::vector<StatisticNoise> noise(1);
    const QueryPlan plan = plan_query({.25, 1e-4, Family::gaussian}, filter, {&shift, 1}, noise);
    std::vector<BlockCharge> charges;
    const BlockSpending charge = BlockSpending::up(charge_of(plan, filter));
    const auto other = static_cast<std::int64_t>(100 + n);
    for (const BlockRange& range : kReads[n % kReads.size()]) {
      charges.push_back({elsewhere && n % 2 == 1 ? BlockRange{other, other} : range, charge});
      if (elsewhere && n % 2 == 1) break;
    }
    if (!sums.admits(block_filter, charges)) {
      ++refused;
      continue;
    }
    refused = 0;
    sums.add(charges);
    const double deviation = lattice_moments(noise[0].law, 1).stddev * noise_part;
    found.push_back(
        {NoiseSampler(noise[0].law), rows / noise_part, rows / (deviation * deviation)});
  }
  return found;
}

AuditClaim claim_of_four() {
  return {epsilon_of_many_blocks(kOfBlock, 4, 1), kOfBlock.delta, 1 - 1e-9, 60000};
}

AuditResult audit_of_four(double noise_part, bool elsewhere) {
  std::vector<Answer> all = answers_about_blocks(noise_part, elsewhere);
  EXPECT_GE(all.size(), kReads.size());
  RandomStream random({29, 23});
  const auto score = [&](bool there) {
    double sum = 0;
    for (const Answer& answer : all) {
      sum +=
          answer.weight * (static_cast<double>(answer.noise(random)) + (there ? answer.change : 0));
    }
    return sum;
  };
  return audit_scores([&] { return score(false); }, [&] { return score(true); }, claim_of_four());
}

TEST(PopulationAudit, SomebodyInThreeBlocksIsWithinFourBudgets) {
  EXPECT_FALSE(audit_of_four(1, false).refutes(claim_of_four()));
}

TEST(PopulationAudit, ReleasesThatOtherBlocksPayForAreFoundOut) {
  EXPECT_TRUE(audit_of_four(1, true).refutes(claim_of_four()));
  EXPECT_TRUE(audit_of_four(.4, false).refutes(claim_of_four()));
}

}  // namespace
}  // namespace dpmix::test
