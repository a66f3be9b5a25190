#include "core/regression/told.hpp"

#include <cmath>

#include "core/base/normal_tail.hpp"

namespace dpmix {
namespace {

ToldCoefficient normal(const Coefficient& c, double reach) {
  return {c.estimate,
          c.centre - reach * c.noise_stddev,
          c.centre + reach * c.noise_stddev,
          c.centre - reach * c.stddev,
          c.centre + reach * c.stddev,
          2 * upper_tail(std::fabs(c.centre) / c.stddev)};
}

}  // namespace

std::vector<ToldCoefficient> told_coefficients(const RegressionModel& model, std::size_t k,
                                               double reach) {
  const RegressionModel::Class& of = model.classes[k];
  const Design& design = model.design;
  std::vector<ToldCoefficient> all;
  for (const Coefficient& c : of.coefficients) all.push_back(normal(c, reach));
  if (!of.sums) return all;
  const Vector near =
      Eigen::Map<const Vector>(of.coded.data(), static_cast<Eigen::Index>(of.coded.size()));
  const ExactSets noise(*of.sums, near, false), population(*of.sums, near, true);
  const Matrix map = design.target_half() * design.map().transpose();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Vector direction = map.row(static_cast<Eigen::Index>(i)).transpose();
    const double from = i == 0 ? design.target_centre() : 0;
    const ExactSets::Ends rows = noise.ends(direction, reach);
    const ExactSets::Ends all_rows = population.ends(direction, reach);
    all[i] = {all[i].estimate,      from + rows.low,
              from + rows.high,     from + all_rows.low,
              from + all_rows.high, 2 * upper_tail(population.reach_of(direction, -from))};
  }
  return all;
}

}  // namespace dpmix
