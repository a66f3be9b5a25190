// dpmix.create_schedule, and what is asked of a schedule but to run: what is to come, pause, drop.
#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/owner/owned.hpp"
#include "pg/schedule/attempts.hpp"
#include "pg/schedule/as_owner.hpp"
#include "pg/schedule/price.hpp"
#include "pg/schedule/release.hpp"
#include "pg/schedule/result_table.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
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

const char* schedule_name(FunctionCallInfo fcinfo) {
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  if (name[0] == '\0' || pg_mbstrlen(name) > kNameCharacters || strlen(name) > kNameBytes) {
    refuse_argument(
        "invalid name of a schedule",
        psprintf("It has %d characters in %zu bytes; the valid range is 1 to %d, in up to %d.",
                 pg_mbstrlen(name), strlen(name), kNameCharacters, kNameBytes),
        "Choose a short name.");
  }
  return name;
}

// They are kept, and the spec is shown to owners of its tables, and priced for them.
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

// Of a start in the past the first period is the first that is still to come.
int64 first_period(const Calendar& calendar, TimestampTz now) {
  const int64 latest = latest_due(calendar, now);
  return latest >= 0 && due_of(calendar, latest) < now ? latest + 1 : Max(latest, (int64)0);
}

void require_periods(FunctionCallInfo fcinfo, const PeriodPrice& price) {
  constexpr int argument = 5;
  if (PG_ARGISNULL(argument)) return;
  const int32 periods = PG_GETARG_INT32(argument);
  if (periods < 1) {
    refuse_argument("invalid number of periods",
                    psprintf("It is %d; it must be 1 or more.", periods),
                    "Leave it out to ask for none in particular.");
  }
  if (price.calls >= periods) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(budget_exhausted)),
                  errmsg("the privacy budget is not enough for %d periods", periods),
                  errdetail("It admits " INT64_FORMAT
                            " charges like that of a period, of which each takes "
                            "%.3g of the whole, if nothing else is charged.",
                            price.calls, price.share),
                  errhint("Lower epsilon, or ask for fewer periods.")));
}

Datum table_ids(const PeriodPrice& price) {
  Datum* ids = (Datum*)palloc(sizeof(Datum) * Max(price.tables, 1));
  for (int i = 0; i < price.tables; i++) ids[i] = Int64GetDatum(price.table[i]);
  return PointerGetDatum(
      construct_array(ids, price.tables, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

// When the first period is due that does not fit; NULL: beyond the calendar.
Datum runs_out_at(const Calendar& calendar, int64 next, int64 left, bool* null) {
  TimestampTz end = DT_NOEND;
  // So many minutes are beyond the calendar, too.
  if (left < (int64)1 << 40) end = due_of(calendar, next + left);
  *null = end == DT_NOEND;
  return TimestampTzGetDatum(end);
}

HeapTuple form_result(FunctionCallInfo fcinfo, Datum* values, bool* nulls) {
  TupleDesc desc;
  if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "a row type is expected");
  }
  return heap_form_tuple(BlessTupleDesc(desc), values, nulls);
}

// The period that a call would run, now or as soon as one is due.
int64 next_period(const Schedule* schedule) {
  const int64 latest = latest_due(schedule->calendar, GetCurrentTimestamp());
  const int64 last = last_period(schedule);
  const Attempt attempt = last_attempt(schedule, last);
  const bool again = attempt.state != NULL && strcmp(attempt.state, "failed") == 0;
  return Max(latest, Max(schedule->first_period, again ? last : last + 1));
}

// What is asked of a schedule as its owner, who may have lost his access. A time zone that this
// server does not know is an error there, too.
struct Pricing {
  const Schedule* schedule;
  TimestampTz due;  // of the next period; DT_NOEND: there is none
  bool priced;
  PeriodPrice price;
  Datum end;
  bool no_end;
};

void run_pricing(void* arg) {
  Pricing* pricing = (Pricing*)arg;
  const Schedule* schedule = pricing->schedule;
  const int64 next = next_period(schedule);
  pricing->due = due_of(schedule->calendar, next);
  const Recipe* recipe = read_recipe(schedule->kind, schedule->spec);
  pricing->price = price_period(recipe, release_name(schedule, next));
  pricing->end = runs_out_at(schedule->calendar, next, pricing->price.calls, &pricing->no_end);
  pricing->priced = true;
}

Schedule* open_locked(FunctionCallInfo fcinfo) {
  require_primary();
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
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
  require_arguments(fcinfo, 4);
  require_primary();
  Schedule schedule = {};
  schedule.name = schedule_name(fcinfo);
  schedule.kind = schedule_kind_of(text_to_cstring(PG_GETARG_TEXT_PP(1)));
  schedule.spec = PG_GETARG_JSONB_P(2);
  schedule.calendar.period = *PG_GETARG_INTERVAL_P(3);
  const TimestampTz now = GetCurrentTimestamp();
  schedule.calendar.start = PG_ARGISNULL(4) ? now : PG_GETARG_TIMESTAMPTZ(4);
  require_calendar(schedule.calendar);
  schedule.first_period = first_period(schedule.calendar, now);
  describe_session(&schedule);
  require_size("spec", VARSIZE(schedule.spec));
  require_size("search_path", strlen(schedule.search_path));
  const Recipe* recipe = read_recipe(schedule.kind, schedule.spec);
  const int level = enter_settings(&schedule);  // as its runs will
  const PeriodPrice price = price_period(recipe, release_name(&schedule, schedule.first_period));
  leave_settings(level);
  require_periods(fcinfo, price);
  schedule.epsilon = price.epsilon;
  schedule.delta = price.delta;
  schedule.columns = price.columns;
  schedule.column = price.column;
  schedule.type = price.type;
  if (recipe->into != NULL) place_result_table(recipe->into, &schedule);
  (void)insert_schedule(&schedule, table_ids(price));
  if (schedule.kind == ScheduleKind::gmm) require_release_names(&schedule);
  if (recipe->into != NULL) make_result_table(&schedule);

  InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
  const ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  bool nulls[8] = {};
  Datum values[lengthof(nulls)] = {
      CStringGetTextDatum(schedule.name),
      TimestampTzGetDatum(due_of(schedule.calendar, schedule.first_period)),
      TimestampTzGetDatum(due_of(schedule.calendar, schedule.first_period + 1)),
      Float8GetDatum(price.epsilon),
      Float8GetDatum(price.delta),
      Float8GetDatum(price.share),
      Int64GetDatum(price.calls)};
  values[7] = runs_out_at(schedule.calendar, schedule.first_period, price.calls, &nulls[7]);
  tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
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
  const Schedule* schedule = find_schedule(NULL, PG_GETARG_INT64(0));
  Pricing pricing = {};
  pricing.schedule = schedule;
  pricing.due = DT_NOEND;
  // No error: the view may ask for one that was dropped since its snapshot.
  const bool shown = schedule != NULL && (owns_schedule(schedule) || owns_a_table(schedule));
  if (shown && OidIsValid(schedule->owner)) {
    ErrorData* error = try_as_owner(schedule, run_pricing, &pricing);
    // A refusal is an answer; a cancel, say, is none.
    if (error != NULL && !is_refusal(error)) ReThrowError(error);
  }
  Datum values[] = {TimestampTzGetDatum(pricing.due), Float8GetDatum(pricing.price.share),
                    Int64GetDatum(pricing.price.calls), pricing.end};
  bool nulls[] = {pricing.due == DT_NOEND, !pricing.priced, !pricing.priced,
                  !pricing.priced || pricing.no_end};
  return HeapTupleGetDatum(form_result(fcinfo, values, nulls));
}
