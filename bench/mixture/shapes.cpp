// What each shape of covariance is worth, over epsilon:
//   shapes [trials] [table, or all]
//
// Leaves a line for each table, epsilon and shape: the medians over trials of the log density of
// the table's own rows with their labels under the release, in nats a row (less that of the plain
// fit without privacy), and of the share of labels that it guesses. delta = 1e-5, add_remove.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/noise/gaussian/gdp.hpp"
#include "tables/shape_tables.hpp"

namespace dpmix::test {
namespace {

struct Shape {
  const char* name;
  std::optional<CovarianceShape> shape;
};
constexpr Shape kShapes[] = {{"full", CovarianceShape::full},
                             {"diagonal", CovarianceShape::diagonal},
                             {"shared", CovarianceShape::shared},
                             {"auto", std::nullopt}};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void measure(const char* name, const Table& table, int trials, double grain = 0) {
  const Worth plain = worth_of(plain_fit(table), table, grain);
  std::printf("%s: plain %.2f %.3f\n", name, plain.log_likelihood, plain.accuracy);
  for (const double epsilon : {.25, .5, 1., 1.5, 2., 2.5, 3., 4., 6., 10.}) {
    std::printf("%s %g", name, epsilon);
    for (const Shape& shape : kShapes) {
      std::vector<double> likelihood, accuracy;
      for (int t = 0; t < trials; ++t) {
        GmmRequest request = request_of(table, gdp_mu(epsilon, 1e-5));
        request.shape = shape.shape;
        const Worth worth = worth_of(
            release(request, table, static_cast<std::uint64_t>(t) + 1).mixture, table, grain);
        likelihood.push_back(worth.log_likelihood - plain.log_likelihood);
        accuracy.push_back(worth.accuracy);
      }
      std::printf("  %s %.3f %.3f", shape.name, median(likelihood), median(accuracy));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace dpmix::test

int main(int argc, char** argv) {
  using namespace dpmix::test;
  const int trials = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 2 ? argv[2] : "all";
  const auto wants = [&](const char* name) { return only == "all" || only == name; };
  std::mt19937_64 random(20262);
  if (wants("satellite")) measure("satellite", satellite_like(random), trials, 1);
  if (wants("letters")) measure("letters", letter_like(random), trials, 1);
  if (wants("alike")) measure("alike", alike(random), trials);
  if (wants("independent")) measure("independent", independent(random), trials);
  if (wants("published")) measure("published", simulated_table(random, 5, 3, 1000), trials);
  if (wants("published10")) measure("published10", simulated_table(random, 5, 10, 10000), trials);
  if (wants("iris")) measure("iris", iris(), 4 * trials);
  if (wants("workers")) measure("workers", workers(), trials);
  return 0;
}
