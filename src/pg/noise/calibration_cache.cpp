#include "pg/noise/calibration_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "pg/border/guard.hpp"
#include "pg/noise/calibration_shared.hpp"

namespace dpmix::pg {
namespace {

struct Entry {
  CalibrationKey key;
  std::uint64_t last_used = 0;  // 0: empty
  Calibration calibration;
};
static_assert(std::is_trivially_destructible_v<Entry>);

// Small enough for a linear scan to beat any index.
std::array<Entry, 64> entries;
std::uint64_t clock_hand = 0;

Calibration calibrated(const CalibrationKey& key, std::optional<int> components) {
  return (key.on_lattice ? calibrate_on_lattice : calibrate)(key.family, key.epsilon, key.delta,
                                                             key.sensitivity, components);
}

Calibration remembered(const CalibrationKey& key, std::optional<int> components) {
  // A NaN never equals itself and 0 components are no key: calibrate() refuses both.
  if (components == 0) return calibrated(key, components);
  for (Entry& entry : entries) {
    if (entry.last_used != 0 && entry.key == key) {
      entry.last_used = ++clock_hand;
      return entry.calibration;
    }
  }
  Calibration calibration;
  bool found = false;
  postgres([&] { found = find_shared(key, &calibration); });
  if (!found) {
    calibration = calibrated(key, components);  // takes long: outside of any lock
    postgres([&] { publish(key, calibration); });
  }
  Entry& oldest =
      *std::min_element(entries.begin(), entries.end(),
                        [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
  oldest = {key, ++clock_hand, calibration};
  return calibration;
}

}  // namespace

Calibration cached_calibration(Family family, double epsilon, double delta, double sensitivity,
                               std::optional<int> components) {
  return remembered({false, family, components.value_or(0), epsilon, delta, sensitivity},
                    components);
}

Calibration cached_on_lattice(Family family, double epsilon, double delta, double sensitivity,
                              std::optional<int> components) {
  return remembered({true, family, components.value_or(0), epsilon, delta, sensitivity},
                    components);
}

}  // namespace dpmix::pg
