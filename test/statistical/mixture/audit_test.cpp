// Black-box audit of whole staged releases: thousands of them on two neighbours, judged by what a
// release shows alone. Would falsify docs/proofs/mixture_staged.md: no proved epsilon lies above
// the declared one, and the same audit refutes the claim as soon as the noise is halved.
//
// Declared is a point of the mu-GDP curve with a large delta: there few runs prove most.
// DPMIX_SOAK=1 runs more of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/noise/gaussian/gdp.hpp"
#include "statistical/discriminant.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {
namespace {

struct Neighbours {
  const char* name;
  Adjacency adjacency;
  Table one, other;
};

// Everything that a release shows, and what it estimates the sums of the rows to be.
Shown shown(const GmmFit& fit) {
  std::vector<double> all;
  const auto d = static_cast<std::size_t>(fit.mixture.features);
  for (std::size_t k = 0; k < fit.mixture.components.size(); ++k) {
    const GaussianMixture::Component& c = fit.mixture.components[k];
    all.insert(all.end(), {c.rows, c.weight, static_cast<double>(fit.quality[k])});
    for (std::size_t i = 0; i < d; ++i) {
      all.insert(all.end(), {c.mean[i], c.mean[i] * c.rows, std::log(c.covariance[i * d + i])});
      for (std::size_t j = 0; j <= i; ++j) {
        const double second = c.covariance[i * d + j] + c.mean[i] * c.mean[j];
        all.insert(all.end(), {c.covariance[i * d + j], c.rows * second});
      }
    }
  }
  return Eigen::Map<Shown>(all.data(), std::ssize(all));
}

class GmmAudit {
 public:
  // mu: of the releases, whatever is declared.
  GmmAudit(const Neighbours& neighbours, double mu, std::uint64_t runs, std::uint64_t seed)
      : neighbours_(neighbours), mu_(mu), runs_(runs), seed_(seed << 32) {}

  AuditResult judge(double epsilon, double delta) {
    return audit_numbers([&] { return release_of(neighbours_.one); },
                         [&] { return release_of(neighbours_.other); },
                         {.epsilon = epsilon, .delta = delta, .runs = runs_});
  }

 private:
  Shown release_of(const Table& table) {
    return shown(release(request_of(table, mu_, neighbours_.adjacency), table, ++seed_));
  }

  const Neighbours& neighbours_;
  double mu_;
  std::uint64_t runs_, seed_;
};

// Two features in [-10, 10]: a class of normal rows, and a smaller one.
Table rows_of(int large, int small) {
  Table table{2, 2, {-10, -10}, {10, 10}, {}, {}};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int n = 0; n < large + small; ++n) {
    const int k = n < large ? 0 : 1;
    table.label.push_back(k);
    table.row.push_back({4. * k - 2 + normal(random), normal(random)});
  }
  return table;
}

Table with(Table table, int label, const std::vector<double>& row) {
  table.label.push_back(label);
  table.row.push_back(row);
  return table;
}

// One feature, one class of many rows: what is shown is nearly linear in what was released, so this
// tells most.
Table one_feature() {
  Table table{1, 1, {-10}, {10}, {}, {}};
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 500; ++n) table.label.push_back(0), table.row.push_back({normal(random)});
  return table;
}

std::vector<Neighbours> worst_cases() {
  const Table mixed = rows_of(200, 30), lonely = rows_of(200, 0), large = rows_of(400, 400);
  const std::vector<double> corner = {10, 10}, opposite = {-10, -10};
  const std::vector<double> centre = {-2, 0}, far = {8, 0};
  constexpr auto add_remove = Adjacency::add_remove, replace = Adjacency::replace;
  return {
      {"far outlier, one feature", add_remove, one_feature(), with(one_feature(), 0, {10})},
      {"far outlier in a small class", add_remove, mixed, with(mixed, 1, corner)},
      {"class of one row", add_remove, lonely, with(lonely, 1, corner)},
      {"far outlier in a large class", add_remove, large, with(large, 0, far)},
      {"far outlier in a small class", replace, with(mixed, 1, opposite), with(mixed, 1, corner)},
      {"row that leaves a class of one", replace, with(lonely, 0, corner), with(lonely, 1, corner)},
      {"row that changes class", replace, with(large, 0, {3, 9}), with(large, 1, {3, 9})},
      {"corner or centre of its class", replace, with(mixed, 0, centre), with(mixed, 0, corner)},
      {"corner or the other corner", replace, with(large, 0, opposite), with(large, 0, corner)},
  };
}

// Seeds are fixed, so this is no matter of chance.
TEST(GmmAudit, NoEpsilonAboveTheDeclaredAndHalfTheNoiseIsFound) {
  const bool soak = std::getenv("DPMIX_SOAK") != nullptr;
  const std::uint64_t runs = soak ? 12000 : 2000;
  constexpr double epsilon = 1, delta = .1;
  std::printf("lower bounds on epsilon at delta = %g, confidence 99%%, %d runs a side\n", delta,
              static_cast<int>(runs));
  bool found_add_remove = false, found_replace = false;
  std::uint64_t seed = 0;
  const double mu = gdp_mu(epsilon, delta);
  const auto worst = worst_cases();
  for (const Neighbours& neighbours : worst) {
    const double honest = GmmAudit(neighbours, mu, runs, ++seed).judge(epsilon, delta).epsilon;
    const double broken = GmmAudit(neighbours, 2 * mu, runs, ++seed).judge(epsilon, delta).epsilon;
    std::printf("%-10s %-32s declared %g: %.3f; with half the noise: %.3f\n",
                name(neighbours.adjacency).data(), neighbours.name, epsilon, honest, broken);
    std::fflush(stdout);
    EXPECT_LE(honest, epsilon) << neighbours.name;
    if (broken > epsilon) {
      (neighbours.adjacency == Adjacency::replace ? found_replace : found_add_remove) = true;
    }
  }
  EXPECT_TRUE(found_add_remove);
  EXPECT_TRUE(found_replace);
}

}  // namespace
}  // namespace dpmix::test
