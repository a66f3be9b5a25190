#include "core/synthetic/dominating_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/accounting/losses/loss_of_curve.hpp"
#include "core/accounting/renyi_of_subsampled_gaussian.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/base/next_double.hpp"
#include "core/base/outward.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double kLeastScale = 1e-150, kMostScale = 1e150;
constexpr std::int64_t kMostClassRows = std::int64_t{1} << 53, kMostRows = std::int64_t{1} << 30,
                       kMostMix = (std::int64_t{1} << 31) - 1;

constexpr std::int64_t kMostPoints = std::int64_t{1} << 17;
constexpr double kUp = 1 + 0x1p-50;  // covers two roundings

double root_two_up() {
  return next_up(std::sqrt(2.0));
}

}  // namespace

std::optional<CdaSampler> cda_sampler_of(std::string_view name) {
  if (name == "poisson") return CdaSampler::poisson;
  if (name == "without_replacement") return CdaSampler::without_replacement;
  return std::nullopt;
}

void check_mixed_rows(const MixedRows& rows) {
  const auto check_count = [](std::int64_t count, std::int64_t most, const char* name,
                              const char* range) {
    check_parameter(count >= 1 && count <= most, name, static_cast<double>(count), range);
  };
  check_count(rows.class_rows, kMostClassRows, "class_rows", "1 to 2^53");
  check_count(rows.mix, kMostMix, "mix", "1 to 2^31 - 1");
  check_count(rows.rows, kMostRows, "rows_per_class", "1 to 2^30");
  check_parameter(rows.clip >= kLeastScale && rows.clip <= kMostScale, "clip", rows.clip,
                  "1e-150 to 1e150");
  check_parameter(rows.scale >= kLeastScale && rows.scale <= kMostScale, "scale", rows.scale,
                  "1e-150 to 1e150");
  check_parameter(
      rows.sampler == CdaSampler::poisson || rows.mix < rows.class_rows, "mix",
      static_cast<double>(rows.mix),
      "less than class_rows without replacement: a class that loses a record must still "
      "fill a row");
}

std::vector<CdaPair> cda_pairs(const MixedRows& rows) {
  using Change = CdaPair::Change;
  check_mixed_rows(rows);
  const bool poisson = rows.sampler == CdaSampler::poisson;
  const auto mix = static_cast<double>(rows.mix), records = static_cast<double>(rows.class_rows);
  const double rate = mix >= records ? 1 : std::min(1.0, next_up(mix / records));
  const double one = next_up(next_up(rows.clip / rows.scale) / mix);
  // Without replacement another record makes room.
  const double mu = poisson ? one : 2 * one;
  const auto pair = [&](Change change, double shift) {
    return CdaPair{change, rate, shift, rows.rows};
  };
  switch (rows.adjacency) {
    case Adjacency::add_remove:
      return {pair(Change::leaves, mu), pair(Change::joins, mu)};
    case Adjacency::replace:
      return {pair(poisson ? Change::replaced : Change::replaced_apart, mu),
              pair(Change::moves, mu)};
    case Adjacency::label:
      return {pair(Change::moves, mu)};
  }
  return {};
}

double CdaPair::plain_mu() const {
  const double all = next_up(next_up(std::sqrt(static_cast<double>(rows))) * mu);
  switch (change) {
    case Change::leaves:
    case Change::joins:
    case Change::replaced_apart:
      return all;
    case Change::moves:
      return next_up(root_two_up() * all);
    case Change::replaced:
      return 2 * all;
  }
  return 0;
}

double CdaPair::largest_loss(double tail) const {
  const double largest = mu * (std::sqrt(-2 * std::log(tail)) + mu / 2);
  return largest < 700 ? std::log1p(rate * std::expm1(largest)) : largest + std::log(rate);
}

LossComposition CdaPair::losses(double step, double tail) const {
  const auto subsampled = [&](Direction direction) {
    return loss_of_subsampled_gaussian(rate, mu, direction, step, tail);
  };
  LossComposition all(kMostPoints);
  switch (change) {
    case Change::leaves:
      all.add(subsampled(Direction::with_record), rows);
      break;
    case Change::joins:
      all.add(subsampled(Direction::without_record), rows);
      break;
    case Change::moves:
      all.add(subsampled(Direction::with_record), rows);
      all.add(subsampled(Direction::without_record), rows);
      break;
    case Change::replaced_apart:
      all.add(loss_of_both_orders(subsampled(Direction::with_record)), rows);
      break;
    case Change::replaced:
      all.add(loss_of_replaced_gaussian(rate, mu, step, tail), rows);
      break;
  }
  return all;
}

double CdaPair::renyi(double order) const {
  const double whole = renyi_of_gaussian(order, next_up(plain_mu())).amount;
  const double one = renyi_of_subsampled_gaussian(order, rate, mu).amount;
  double rho = one;
  switch (change) {
    case Change::leaves:
    case Change::joins:
      break;
    case Change::moves:
      rho = 2 * one;
      break;
    case Change::replaced: {
      // Where no record joins, both ways; or each seen through half the noise's variance.
      const double half =
          renyi_of_subsampled_gaussian(order, rate, root_two_up() * mu * kUp).amount;
      const double never = -std::log1p(-rate) * kUp;
      rho = std::min(2 * half, one + never * kUp);
      break;
    }
    case Change::replaced_apart: {
      const long double above_one = order - 1.0L, y = above_one * one;
      constexpr long double kLarge = 600, kLogTwo = 0.693147180559945309417232121458176568L;
      const long double doubled = y > kLarge ? y + kLogTwo : std::log1p(2 * std::expm1(y));
      rho = outward::up(doubled / above_one);
      break;
    }
  }
  return std::min(whole, rho * static_cast<double>(rows) * kUp);
}

}  // namespace dpmix
