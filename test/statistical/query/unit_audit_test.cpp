// Grouped counts, sums and numbers of units of a table whose units have several rows, audited on
// neighbours that differ in one whole unit.
#include <gtest/gtest.h>

#include <vector>

#include "core/noise/lattice_moments.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/contribution.hpp"
#include "core/query/plan.hpp"
#include "statistical/privacy_audit.hpp"

namespace dpmix::test {
namespace {

const AuditClaim kClaim{1, 1e-2, 1 - 1e-9, 30000};
const Lattice kSum{0, 1, 0, 8};

// A unit's rows, kept within five rows, three groups and two rows in each: their numbers by group.
const std::vector<int> kLarge = {2, 2, 1};

struct Cell {
  NoiseSampler noise;
  double change;  // that the unit makes
  double weight;  // of it in the score: what it says of the unit, relative to the noise
};

// What the unit changes of the joint release: counts, sums of its rows' largest values, numbers of
// units.
std::vector<Cell> changed_cells(Family family, const std::vector<StatisticShift>& shifts) {
  const Filter filter(Accountant::basic, Decimal::printed(4), Decimal::printed(.1), 0);
  Noise noise(shifts.size());
  plan_query({kClaim.epsilon, is_pure(family) ? 0 : kClaim.delta, family}, filter, shifts, noise);
  std::vector<Cell> cells;
  for (const int rows : kLarge) {
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      const double change = i == 0 ? rows : i == 1 ? 8 * rows : 1;
      const double deviation = lattice_moments(noise[i].law, 1).stddev;
      cells.push_back({NoiseSampler(noise[i].law), change, change / (deviation * deviation)});
    }
  }
  return cells;
}

AuditResult audit(Family family, const std::vector<StatisticShift>& shifts) {
  std::vector<Cell> cells = changed_cells(family, shifts);
  RandomStream random({static_cast<std::uint8_t>(family), 17});
  const auto score = [&](bool there) {
    double sum = 0;
    for (const Cell& cell : cells) {
      const double noisy = static_cast<double>(cell.noise(random)) + (there ? cell.change : 0);
      sum += cell.weight * noisy;
    }
    return sum;
  };
  return audit_scores([&] { return score(false); }, [&] { return score(true); }, kClaim);
}

std::vector<StatisticShift> shifts_for(const Contribution& unit) {
  const Adjacency adjacency = Adjacency::add_remove;
  return {shift_of(kCountLattice, adjacency, unit, {20, 1}),
          shift_of(kSum, adjacency, unit, {20, 1}), shift_of_units(adjacency, unit, 20)};
}

TEST(UnitAudit, AWholeUnitIsCovered) {
  for (const Family family : kFamilies) {
    EXPECT_FALSE(audit(family, shifts_for(contribution_of(5, 3))).refutes(kClaim)) << name(family);
  }
}

// Noise for one row of the unit is too little for five: the audit sees that.
TEST(UnitAudit, NoiseForOneRowIsFoundOut) {
  for (const Family family : kFamilies) {
    EXPECT_TRUE(audit(family, shifts_for(contribution_of(1, std::nullopt))).refutes(kClaim))
        << name(family);
  }
}

}  // namespace
}  // namespace dpmix::test
