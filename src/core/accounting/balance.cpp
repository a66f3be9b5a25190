#include "core/accounting/balance.hpp"

#include <limits>

namespace dpmix {
namespace {

bool admits_through_grant(const Balance& balance, const Spending& charge) {
  if (charge.epsilon < balance.least) return false;
  if (balance.part && !balance.part->filter.admits(balance.part->spent, charge)) return false;
  return !balance.cap || balance.through_grant + charge.epsilon <= *balance.cap;
}

// The largest number that fits, where all smaller ones fit too.
template <class Fits>
std::int64_t most_that(const Fits& fit) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t fits = 0, too_many = 1;
  while (fit(too_many)) {
    fits = too_many;
    if (fits == most) return std::numeric_limits<std::int64_t>::max();
    too_many = fits > most / 2 ? most : 2 * fits;
  }
  while (too_many - fits > 1) {
    const std::uint64_t middle = fits + (too_many - fits) / 2;
    (fit(middle) ? fits : too_many) = middle;
  }
  return static_cast<std::int64_t>(fits);
}

}  // namespace

bool admits(const Filter& filter, const Balance& balance, const Spending& charge) {
  return admits_through_grant(balance, charge) && filter.admits(balance.spent, charge);
}

std::int64_t charges_left(const Filter& filter, const Balance& balance, const Spending& charge) {
  return most_that([&](std::uint64_t n) { return admits(filter, balance, charge * n); });
}

std::int64_t charges_through_grant(const Balance& balance, const Spending& charge) {
  return most_that([&](std::uint64_t n) { return admits_through_grant(balance, charge * n); });
}

}  // namespace dpmix
