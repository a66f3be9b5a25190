// When a table's budget runs out, if its charges go on as they did in some past span.
//
// Enters: the table's filter, its sums of charges now, and what the span added to them. Leaves: the
// time until the filter refuses. Each sum that the filter bounds is taken to grow linearly, and the
// budget lasts as long as any arm of the filter holds: what is spent of epsilon itself
// (Filter::epsilon_spent) grows like a root under `renyi` and `gdp`, and is not extrapolated.
// A gauge for people: nothing is decided by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/accounting/filter.hpp"

namespace dpmix {

struct Pace {
  Spending taken = {};                      // by the charges of the span
  std::optional<Spending> taken_late = {};  // by those of its later half, where that is known
  std::int64_t charges = 0;                 // how many they were, 0 or more
  double seconds = 0;                       // the span's length
  bool cut = false;             // the span was to be longer, but the table was not yet protected
  bool widened = false;         // the span was to be shorter, but the viewer sees no totals there
  bool budget_changed = false;  // within the span
};

struct Forecast {
  double share_spent;           // Filter::share_spent
  double seconds_left;          // infinite: not at this pace, or no pace; 0: the end is reached
  double share_per_second;      // of what limited_by may come to
  std::string_view limited_by;  // the sum that ends the arm that holds longest; empty: no pace
  // How many charges that take what those of the span took on average would still be admitted, one
  // after the other and nothing else; 0 without any.
  std::int64_t charges_left;
  std::string caution;  // why not to rely on it, in sentences; empty: nothing speaks against it
};

// No forecast goes by less than so much.
constexpr int kLeastCharges = 10, kLeastDays = 3;
bool is_too_early(std::int64_t charges, double days, std::int64_t charges_left);

Forecast forecast(const Filter& filter, const Spending& spent, const Pace& pace);

}  // namespace dpmix
