#include "pg/ledger/charge_rate.hpp"

#include <algorithm>

namespace dpmix::pg {

void ChargeRate::add(long long second, long long charges) {
  if (second <= newest_ - kSeconds) return;
  for (long long s = std::max(newest_, second - kSeconds) + 1; s <= second; s++) {
    charges_[s % kSeconds] = 0;
  }
  newest_ = std::max(newest_, second);
  charges_[second % kSeconds] += charges;
}

void ChargeRate::add(const ChargeRate& other) {
  for (long long s = std::max(0LL, other.newest_ - (kSeconds - 1)); s <= other.newest_; s++) {
    if (other.charges_[s % kSeconds] > 0) add(s, other.charges_[s % kSeconds]);
  }
}

long long ChargeRate::last_minute(long long second) const {
  long long sum = 0;
  for (long long s = std::max(0LL, std::max(second, newest_) - (kSeconds - 1)); s <= newest_; s++) {
    sum += charges_[s % kSeconds];
  }
  return sum;
}

}  // namespace dpmix::pg
