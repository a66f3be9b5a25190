#include "pg/calibration_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

namespace dpmix::pg {
namespace {

struct Key {
  Family family;
  double epsilon, delta, sensitivity;
  int components;  // 0: chosen by calibrate()
  bool operator==(const Key&) const = default;
};

struct Entry {
  Key key;
  std::uint64_t last_used = 0;  // 0: empty
  Calibration calibration;
};
static_assert(std::is_trivially_destructible_v<Entry>);

// Small enough for a linear scan to beat any index.
std::array<Entry, 64> entries;
std::uint64_t clock_hand = 0;

}  // namespace

Calibration cached_calibration(Family family, double epsilon, double delta, double sensitivity,
                               std::optional<int> components) {
  const Key key{family, epsilon, delta, sensitivity, components.value_or(0)};
  // A NaN never equals itself and 0 components are no key: calibrate() refuses both.
  const bool cacheable = components != 0;
  for (Entry& entry : entries) {
    if (cacheable && entry.last_used != 0 && entry.key == key) {
      entry.last_used = ++clock_hand;
      return entry.calibration;
    }
  }
  const Calibration calibration = calibrate(family, epsilon, delta, sensitivity, components);
  Entry& oldest =
      *std::min_element(entries.begin(), entries.end(),
                        [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
  oldest = {key, ++clock_hand, calibration};
  return calibration;
}

Calibration cached_least_error(double epsilon, double delta, double sensitivity,
                               std::optional<int> components) {
  if (components) {
    return cached_calibration(Family::multi_gaussian, epsilon, delta, sensitivity, components);
  }
  Calibration best = cached_calibration(Family::laplace, epsilon, delta, sensitivity);
  if (delta < kLeastDelta) return best;
  for (Family family : {Family::gaussian, Family::multi_gaussian}) {
    const Calibration other = cached_calibration(family, epsilon, delta, sensitivity);
    if (expected_abs(other.law) < expected_abs(best.law)) best = other;
  }
  return best;
}

}  // namespace dpmix::pg
