#include "core/drawing/axis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "core/drawing/xml_text.hpp"

namespace dpmix {
namespace {

constexpr double day = 86400;
constexpr double mean_month = 30.436875 * day;  // of 400 years
constexpr int first_year = -4800, last_year = 32000;

std::chrono::sys_days epoch() {
  using namespace std::chrono;
  return sys_days{year{2000} / January / 1};
}

// The least of 1, 2, 5 times a power of ten that gives at most `most` steps.
double round_step(double width, int most) {
  double power = std::pow(10., std::floor(std::log10(width / most)));
  for (;; power *= 10) {
    for (const double factor : {1., 2., 5.}) {
      if (width / (factor * power) <= most) return factor * power;
    }
  }
}

int digits_for(double low, double high, double step) {
  const double largest = std::max(std::abs(low), std::abs(high));
  return std::clamp(static_cast<int>(std::ceil(std::log10(largest / step))) + 1, 1, 15);
}

// Multiples of the step within the range; the ends where doubles resolve no steps, the lower end
// where there is no multiple.
template <class Visit>
void multiples(double low, double high, double step, Visit visit) {
  constexpr double slack = 1e-6;  // what rounding costs the quotients
  if (std::max(std::abs(low), std::abs(high)) / step > 0x1p50) {
    visit(low);
    visit(high);
    return;
  }
  const double first = std::ceil(low / step - slack), last = std::floor(high / step + slack);
  if (first > last) visit(low);
  for (double i = first; i <= last; ++i) visit(std::clamp(i * step, low, high));
}

AxisTicks number_ticks(double low, double high, int most) {
  AxisTicks axis{{}, AxisUnit::number};
  const double step = round_step(high - low, most - 1);
  const int digits = digits_for(low, high, step);
  multiples(low, high, step, [&](double value) {
    const double zero_or_value = std::abs(value) < step / 2 ? 0 : value;
    axis.ticks.push_back({value, short_number(zero_or_value, digits), ""});
  });
  return axis;
}

template <class... Values>
std::string printed(const char* format, Values... values) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string year_label(int year) {
  return year > 0 ? std::to_string(year) : std::to_string(1 - year) + " BC";
}

std::string date_label(std::chrono::sys_days when, bool with_day) {
  const std::chrono::year_month_day date{when};
  const int year = static_cast<int>(date.year());
  std::string text =
      printed("%04d-%02u", year > 0 ? year : 1 - year, static_cast<unsigned>(date.month()));
  if (with_day) text += printed("-%02u", static_cast<unsigned>(date.day()));
  return year > 0 ? text : text + " BC";
}

// Steps of months, from January of year 0 on. low and high in seconds since the epoch.
AxisTicks month_ticks(double low, double high, int most) {
  using namespace std::chrono;
  AxisTicks axis{{}, AxisUnit::time};
  const double months = (high - low) / mean_month;
  std::int64_t step = 0;
  for (const int candidate : {1, 2, 3, 6}) {
    if (step == 0 && months / candidate <= most - 1) step = candidate;
  }
  if (step == 0) {
    step = 12 * static_cast<std::int64_t>(std::max(1., round_step(months / 12, most - 1)));
  }
  const year_month_day first{epoch() + days{static_cast<std::int64_t>(std::floor(low / day))}};
  std::int64_t month = static_cast<int>(first.year()) * 12 +
                       static_cast<int>(static_cast<unsigned>(first.month())) - 1;
  month = (month / step - (month % step < 0 ? 1 : 0)) * step;
  for (;; month += step) {
    const std::int64_t in_year = ((month % 12) + 12) % 12;
    const year y{static_cast<int>((month - in_year) / 12)};
    if ((month - in_year) / 12 > last_year) return axis;
    const sys_days when{y / std::chrono::month{static_cast<unsigned>(in_year) + 1} / 1};
    const double value = static_cast<double>((when - epoch()).count()) * day;
    if (value > high) return axis;
    if (value < low) continue;
    axis.ticks.push_back(
        {value, step % 12 == 0 ? year_label(static_cast<int>(y)) : date_label(when, false), ""});
  }
}

std::string clock_label(double second, double step) {
  const auto whole = static_cast<int>(std::floor(second));
  const std::string minutes = printed("%02d:%02d", whole / 3600, whole / 60 % 60);
  if (step >= 60) return minutes;
  if (step >= 1) return minutes + printed(":%02d", whole % 60);
  const int decimals = std::min(6, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return minutes + printed(":%0*.*f", decimals + 3, decimals, second - whole / 60 * 60);
}

// Steps of days or of parts of them.
AxisTicks day_ticks(double low, double high, double step) {
  AxisTicks axis{{}, AxisUnit::time};
  double last_day = -HUGE_VAL;
  multiples(low, high, step, [&](double value) {
    const double in_days = std::floor(value / day);
    const std::string date =
        date_label(epoch() + std::chrono::days{static_cast<std::int64_t>(in_days)}, true);
    if (step >= day) {
      axis.ticks.push_back({value, date, ""});
    } else {
      axis.ticks.push_back({value, clock_label(value - in_days * day, step),
                            in_days != last_day ? date : std::string()});
    }
    last_day = in_days;
  });
  return axis;
}

// Seconds since the epoch; no step is below `least`.
AxisTicks calendar_ticks(double low, double high, double least, int most) {
  constexpr double minute = 60, hour = 3600;
  constexpr double steps[] = {
      1,          2,          5,           10,          15,          30,      minute,
      2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour,    2 * hour,
      3 * hour,   6 * hour,   12 * hour,   day,         2 * day,     7 * day, 14 * day};
  const double width = high - low;
  if (width < (most - 1) * steps[0] && least < steps[0]) {
    const double step = round_step(width, most - 1);
    if (step < steps[0]) return day_ticks(low, high, std::max(step, 1e-6));
  }
  for (const double step : steps) {
    if (step >= least && width / step <= most - 1) return day_ticks(low, high, step);
  }
  return month_ticks(low, high, most);
}

bool calendar_reaches(double low, double high) {
  return low / day > (first_year - 2000) * 366. && high / day < (last_year - 2000) * 365.;
}

}  // namespace

AxisTicks axis_ticks(AxisUnit unit, double low, double high, int most) {
  const double scale = unit == AxisUnit::date ? day : 1;
  switch (unit) {
    case AxisUnit::boolean:
      return {{{0, "false", ""}, {1, "true", ""}}, unit};
    case AxisUnit::date:
    case AxisUnit::time: {
      if (!calendar_reaches(low * scale, high * scale)) return number_ticks(low, high, most);
      AxisTicks axis =
          calendar_ticks(low * scale, high * scale, unit == AxisUnit::date ? day : 0, most);
      for (Tick& tick : axis.ticks) tick.value = std::clamp(tick.value / scale, low, high);
      axis.unit = unit;
      return axis;
    }
    default:
      return number_ticks(low, high, most);
  }
}

}  // namespace dpmix
