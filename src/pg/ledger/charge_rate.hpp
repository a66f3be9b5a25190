// How many charges a grant had in the last minute, in a memory that does not grow. Knows no
// PostgreSQL.
#pragma once

#include <array>

namespace dpmix::pg {

class ChargeRate {
 public:
  // second: of a clock that never jumps.
  void add(long long second, long long charges = 1);
  void add(const ChargeRate& other);
  // The charges of at least the last 60 seconds; of 61 at most, for a second is counted as a whole.
  long long last_minute(long long second) const;

 private:
  static constexpr int kSeconds = 61;
  std::array<long long, kSeconds> charges_{};  // of the newest second and the 60 before it
  long long newest_ = 0;
};

}  // namespace dpmix::pg
