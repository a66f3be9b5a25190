#include "pg/schedule/horizon.hpp"

#include <numeric>

#include "pg/border/guard.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostPeriods = 12000;
constexpr double kYear = 365.2425 * USECS_PER_DAY;
// Days of the week, leap years and changes of clocks come back after 28 years; more tell nothing
// more, where blocks lie as they lay.
constexpr int64 kCycleDays = 28 * 365 + 7, kCycleMonths = 28 * 12;
constexpr double kSurelyAll = 30 * kYear, kLongest = 100 * kYear;

// After how many periods these lie in blocks as they lay before, if periods and widths are lengths
// of time.
int64 periods_of_cycle(const Interval& period, const BlockColumn& blocks) {
  return blocks.grid.width / std::gcd(blocks.grid.width, period.time);
}

// Whether the last three quarters are as the first one, and so is all that follows.
bool goes_on(const Schedule* schedule, const PeriodsAhead& ahead, const BlockColumn& blocks,
             bool uniform, double span) {
  int left = 1;
  while (left < ahead.count && ahead.range[left].first <= ahead.range[0].last) left++;
  if (left > ahead.count / 4) return false;  // the first blocks are named for too long
  const Int128 cycle =
      static_cast<Int128>(kCycleDays) * (blocks.type == DATEOID ? 1 : USECS_PER_DAY);
  if (blocks.grid.of_months()) return span >= kSurelyAll && kCycleMonths % blocks.grid.width == 0;
  if (span >= kSurelyAll && cycle % blocks.grid.width == 0) return true;
  const Interval& period = schedule->calendar.period;
  return uniform && period.month == 0 && period.day == 0 && blocks.type != DATEOID &&
         periods_of_cycle(period, blocks) <= ahead.count / 2;
}

}  // namespace

const PeriodsAhead* periods_ahead(
    const Schedule* schedule, int64 next, const BlockColumn& blocks, bool uniform,
    Callable<Places(int64 period, TimestampTz due, TimestampTz later)> places) {
  PeriodsAhead* ahead = (PeriodsAhead*)palloc(sizeof(PeriodsAhead));
  BlockRange* range = (BlockRange*)palloc(sizeof(BlockRange) * kMostPeriods);
  *ahead = {range, 0, false};
  const TimestampTz begin = due_of(schedule->calendar, next);
  TimestampTz due = begin;
  bool reads = true;
  while (ahead->count < kMostPeriods && (double)(due - begin) < kLongest) {
    CHECK_FOR_INTERRUPTS();
    const int64 period = next + ahead->count;
    const TimestampTz later = due_of(schedule->calendar, period + 1);
    if (later == DT_NOEND) break;
    const Places read = places(period, due, later);
    reads = reads && !read.empty();
    range[ahead->count++] = read.empty() ? kNoBlock
                                         : BlockRange{blocks.grid.block_of(read.first),
                                                      blocks.grid.block_of(read.last)};
    due = later;
  }
  ahead->for_ever = reads && ahead->count > 0 &&
                    goes_on(schedule, *ahead, blocks, uniform, (double)(due - begin));
  return ahead;
}

}  // namespace dpmix::pg
