#include "core/accounting/forecast.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "core/accounting/balance.hpp"

namespace dpmix {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double kDaySeconds = 86400;
constexpr double kUneven = .75;  // the share of a span in one half from which the pace is uneven

struct End {
  double seconds;
  double share_per_second;
  std::string_view sum;
};

// When one sum reaches its bound: never if it does not grow, unless it is beyond already.
End end_of(const SumUse& spent, const SumUse& taken, double seconds) {
  const double pace = taken.share / seconds;
  if (taken.share == 0) return {spent.share > 1 ? 0 : never, 0, spent.sum};
  return {spent.share >= 1 ? 0 : (1 - spent.share) / pace, pace, spent.sum};
}

End end_of(const ArmUse& spent, const ArmUse& taken, double seconds) {
  const End first = end_of(spent[0], taken[0], seconds),
            second = end_of(spent[1], taken[1], seconds);
  return second.seconds < first.seconds ? second : first;
}

// What one of the span's charges took on average.
Spending mean_of(const Pace& pace) {
  const auto charges = static_cast<unsigned>(pace.charges);
  return {pace.taken.epsilon / charges, pace.taken.delta / charges, pace.taken.amount / charges,
          pace.taken.added_delta / charges};
}

double share_of(const std::vector<ArmUse>& arms, std::string_view sum) {
  for (const ArmUse& arm : arms) {
    for (const SumUse& use : arm) {
      if (use.sum == sum) return use.share;
    }
  }
  return 0;
}

void say(std::string& caution, const std::string& sentence) {
  if (!caution.empty()) caution += ' ';
  caution += sentence;
}

std::string cautions(const Pace& pace, const Forecast& found, double late_share) {
  if (found.limited_by.empty())
    return "Nothing was charged in this time: there is no pace to go by.";
  if (found.charges_left == 0) {
    return "The budget is used up: no such charge as those of this time fits any more.";
  }
  std::string caution;
  if (is_too_early(pace.charges, pace.seconds / kDaySeconds, found.charges_left)) {
    say(caution, "It is too early to say how long the budget lasts: it takes " +
                     std::to_string(kLeastCharges) + " charges in " + std::to_string(kLeastDays) +
                     " days.");
  }
  if (pace.charges < kLeastCharges) {
    say(caution, "Only " + std::to_string(pace.charges) +
                     (pace.charges == 1 ? " charge was" : " charges were") + " made in this time.");
  }
  if (pace.cut)
    say(caution, "The table was protected within this time: the pace is that since then.");
  if (pace.widened) {
    say(caution,
        "This time begins at a charge of your own, or with the protection: totals in between are "
        "for the table's owner.");
  }
  if (pace.budget_changed) {
    say(caution,
        "The budget was changed within this time: its newest value is what is left to spend.");
  }
  if (pace.charges >= kLeastCharges && late_share > kUneven) {
    say(caution, "The pace is growing: the later half of this time took most.");
  }
  if (pace.charges >= kLeastCharges && late_share < 1 - kUneven) {
    say(caution, "The pace is falling: the earlier half of this time took most.");
  }
  return caution;
}

}  // namespace

bool is_too_early(std::int64_t charges, double days, std::int64_t charges_left) {
  return charges_left > 0 && (charges < kLeastCharges || days < kLeastDays);
}

Forecast forecast(const Filter& filter, const Spending& spent, const Pace& pace) {
  Forecast found{filter.share_spent(spent), never, 0, "", 0, ""};
  double late_share = .5;
  if (pace.charges > 0 && pace.seconds > 0) {
    const std::vector<ArmUse> used = filter.arms(spent), taken = filter.arms(pace.taken);
    End last{-1, 0, ""};
    for (std::size_t i = 0; i < used.size(); ++i) {
      const End end = end_of(used[i], taken[i], pace.seconds);
      if (end.seconds > last.seconds) last = end;
    }
    found.seconds_left = last.seconds;
    found.share_per_second = last.share_per_second;
    found.limited_by = last.sum;
    found.charges_left = charges_left(filter, {spent, {}, std::nullopt}, mean_of(pace));
    if (last.share_per_second > 0 && pace.taken_late) {
      late_share = share_of(filter.arms(*pace.taken_late), last.sum) / share_of(taken, last.sum);
    }
  }
  found.caution = cautions(pace, found, late_share);
  return found;
}

}  // namespace dpmix
