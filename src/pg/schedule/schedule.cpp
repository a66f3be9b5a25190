// dpmix.create_schedule, and what is asked of a schedule but to run: what is to come, pause, drop.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/process/release.hpp"
#include "pg/schedule/as_owner.hpp"
#include "pg/schedule/attempts.hpp"
#include "pg/schedule/limit.hpp"
#include "pg/schedule/price.hpp"
#include "pg/schedule/release.hpp"
#include "pg/schedule/result_table.hpp"
#include "pg/schedule/share.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/float.h"
#include "utils/guc.h"

PG_FUNCTION_INFO_V1(dpmix_create_schedule);
PG_FUNCTION_INFO_V1(dpmix_set_schedule_active);
PG_FUNCTION_INFO_V1(dpmix_drop_schedule);
PG_FUNCTION_INFO_V1(dpmix_schedule_outlook);
}

namespace dpmix::pg {
namespace {

constexpr int kNameCharacters = 100;
constexpr int kNameBytes = 200;  // and when it is due, in the name of a release
constexpr size_t kTextBytes = 1 << 20;

enum Argument { kName, kCall, kPeriod, kStart, kResultTable, kPeriods, kGrantTo, kLatest };

const char* schedule_name(FunctionCallInfo fcinfo) {
  const char* name = text_argument(fcinfo, kName);
  if (name[0] == '\0' || pg_mbstrlen(name) > kNameCharacters || strlen(name) > kNameBytes) {
    refuse_argument(
        "invalid name of a schedule",
        psprintf("It has %d characters in %zu bytes; the valid range is 1 to %d, in up to %d.",
                 pg_mbstrlen(name), strlen(name), kNameCharacters, kNameBytes),
        "Choose a short name.");
  }
  return name;
}

// They are kept, and the call is shown to owners of its tables, and priced for them.
void require_size(const char* what, size_t bytes) {
  if (bytes <= kTextBytes) return;
  refuse_argument(psprintf("the %s is too long", what),
                  psprintf("It takes %zu bytes; the limit is %zu.", bytes, kTextBytes),
                  "Make it shorter.");
}

// Who calls, and the settings of the session.
void describe_session(Schedule* schedule) {
  schedule->owner = GetUserId();
  schedule->owner_name = GetUserNameFromId(schedule->owner, false);
  schedule->time_zone = pstrdup(GetConfigOption("TimeZone", false, false));
  schedule->search_path = pstrdup(GetConfigOption("search_path", false, false));
  schedule->date_style = pstrdup(GetConfigOption("DateStyle", false, false));
}

// The first period; where the start is in the past, the first that is still to come.
int64 first_period(const Calendar& calendar, TimestampTz now) {
  const int64 latest = latest_due(calendar, now);
  return latest >= 0 && due_of(calendar, latest) < now ? latest + 1 : Max(latest, (int64)0);
}

void require_periods(FunctionCallInfo fcinfo, const PeriodPrice& price) {
  constexpr int argument = kPeriods;
  if (PG_ARGISNULL(argument)) return;
  const int32 periods = PG_GETARG_INT32(argument);
  require_range(fcinfo, argument, periods, 1, PG_INT32_MAX,
                "Leave it out to ask for none in particular.");
  if (price.calls >= periods) return;
  refuse(ErrorCode::budget_exhausted,
         psprintf("the privacy budget is not enough for %d periods", periods),
         psprintf("It admits " INT64_FORMAT " charges like that of a period, of which each takes "
                  "%.3g of the whole, if nothing else is charged.",
                  price.calls, price.share),
         "Lower epsilon, or ask for fewer periods.");
}

// When the first period is due that does not fit; DT_NOEND: beyond the calendar.
TimestampTz runs_out_at(const Calendar& calendar, int64 next, int64 left) {
  // So many minutes are beyond the calendar, too.
  return left < (int64)1 << 40 ? due_of(calendar, next + left) : DT_NOEND;
}

double periods_left(int64 calls) {
  return calls == kForEver ? get_float8_infinity() : (double)calls;
}

Value time_if_finite(TimestampTz time) {
  return value_if(time != DT_NOEND, time_value(time));
}

// The period that a call would run, now or as soon as one is due.
int64 next_period(const Schedule* schedule) {
  const int64 latest = latest_due(schedule->calendar, GetCurrentTimestamp());
  const int64 last = last_period(schedule);
  const Attempt attempt = last_attempt(schedule, last);
  const bool again = attempt.state != NULL && strcmp(attempt.state, "failed") == 0;
  return Max(latest, Max(schedule->first_period, again ? last : last + 1));
}

struct Pricing {
  TimestampTz due = DT_NOEND;  // that of the next period; DT_NOEND: there is none
  bool priced = false;
  double share = 0;
  int64 calls = 0;
  TimestampTz end = DT_NOEND;
};

// Prices the next period, as the schedule's owner, who may have lost his access. A time zone that
// this server does not know is an error there, too.
void read_pricing(const Schedule* schedule, Pricing* pricing) {
  const int64 next = next_period(schedule);
  pricing->due = due_of(schedule->calendar, next);
  const PeriodPrice price = period_price(schedule, read_recipe(schedule->call), next);
  pricing->share = price.share;
  pricing->calls = price.calls;
  pricing->end = runs_out_at(schedule->calendar, next, price.calls);
  pricing->priced = true;
}

// The table for released rows; NULL for a model, which has a name.
const char* result_table_argument(FunctionCallInfo fcinfo, const Recipe* recipe) {
  const char* name = text_argument(fcinfo, kResultTable);
  if ((recipe->form == RecipeForm::model) == (name == NULL)) return name;
  const char* function = recipe->kind->release.data();
  if (name != NULL) {
    refuse_argument(psprintf("dpmix.%s() makes no rows for a result_table", function),
                    "It is stored in dpmix.releases, by the name in the call and the due time.",
                    "Leave result_table out.");
  }
  refuse_argument(psprintf("the rows of dpmix.%s() need a result_table", function),
                  "They are appended to it, after a column due.",
                  "Add result_table => 'schema.table'; it is made unless you have one that fits.");
}

Schedule* open_locked(FunctionCallInfo fcinfo) {
  require_primary();
  const char* name = text_argument(fcinfo, 0);
  Schedule* schedule = open_schedule(name);
  for (int64 locked = 0; schedule->id != locked;) {
    lock_schedule(locked = schedule->id, false);
    schedule = open_schedule(name);  // which may be another by now, or none
  }
  return schedule;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_create_schedule(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, kPeriod + 1);
  require_primary();
  Schedule schedule = {};
  schedule.name = schedule_name(fcinfo);
  schedule.call = text_argument(fcinfo, kCall);
  schedule.calendar.period = *PG_GETARG_INTERVAL_P(kPeriod);
  const TimestampTz now = GetCurrentTimestamp();
  schedule.calendar.start = PG_ARGISNULL(kStart) ? now : PG_GETARG_TIMESTAMPTZ(kStart);
  require_calendar(schedule.calendar);
  schedule.first_period = first_period(schedule.calendar, now);
  describe_session(&schedule);
  require_room_for(&schedule);
  require_size("call", strlen(schedule.call));
  require_size("search_path", strlen(schedule.search_path));
  const int level = enter_settings(&schedule);  // as its runs will do
  const Recipe* recipe = read_recipe(schedule.call);
  const char* result_table = result_table_argument(fcinfo, recipe);
  const PeriodPrice price = period_price(&schedule, recipe, schedule.first_period);
  leave_settings(level);
  require_periods(fcinfo, price);
  schedule.kind = recipe->kind->word.data();
  schedule.epsilon = price.epsilon;
  schedule.delta = price.delta;
  schedule.columns = price.columns;
  schedule.column = price.column;
  schedule.type = price.type;
  if (result_table != NULL) place_result_table(result_table, &schedule);
  insert_schedule(&schedule, price.table, price.tables);
  if (result_table != NULL) make_result_table(&schedule);
  share_results(&schedule, PG_ARGISNULL(kGrantTo) ? NULL : PG_GETARG_ARRAYTYPE_P(kGrantTo),
                text_argument(fcinfo, kLatest));

  const Calendar& calendar = schedule.calendar;
  const int64 first = schedule.first_period;
  add_row(begin_rows(fcinfo),
          {schedule.name, time_value(due_of(calendar, first)),
           time_value(due_of(calendar, first + 1)), price.epsilon, price.delta, price.share,
           periods_left(price.calls), time_if_finite(runs_out_at(calendar, first, price.calls))});
  return (Datum)0;
}

Datum dpmix_set_schedule_active(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  set_active(open_locked(fcinfo)->id, PG_GETARG_BOOL(1));
  PG_RETURN_VOID();
}

Datum dpmix_drop_schedule(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  delete_schedule(open_locked(fcinfo)->id);
  PG_RETURN_VOID();
}

Datum dpmix_schedule_outlook(PG_FUNCTION_ARGS) {
  const Schedule* schedule = find_schedule(PG_GETARG_INT64(0));
  Pricing pricing;
  // No error: the view may ask for one that was dropped since its snapshot.
  const bool shown = schedule != NULL && (owns_schedule(schedule) || owns_a_table(schedule));
  if (shown && OidIsValid(schedule->owner)) {
    ErrorData* error = error_as_owner(schedule, [&] { read_pricing(schedule, &pricing); });
    // A refusal is an answer; a cancel, say, is none.
    if (error != NULL && !is_refusal(error)) ReThrowError(error);
  }
  return row_datum(fcinfo, {time_if_finite(pricing.due), value_if(pricing.priced, pricing.share),
                            value_if(pricing.priced, periods_left(pricing.calls)),
                            value_if(pricing.priced, time_if_finite(pricing.end))});
}
