#include "pg/schedule/attempts.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

Statement last = {"SELECT max(period) FROM dpmix.schedule_run WHERE schedule_id = $1"};

Statement attempts = {
    "SELECT state, attempt, finished FROM dpmix.schedule_run WHERE schedule_id = $1 AND period = "
    "$2 "
    "ORDER BY attempt DESC LIMIT 1"};

Statement insert_run = {
    "INSERT INTO dpmix.schedule_run (schedule_id, period, due, attempt, state, role, finished, "
    "    charges_after) "
    "VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $4 = 0 THEN clock_timestamp() END, "
    "        coalesce((SELECT max(id) FROM dpmix.charge), 0)) RETURNING id"};

Statement running = {
    "SELECT id FROM dpmix.schedule_run WHERE schedule_id = $1 AND state = 'running' ORDER BY id"};

#define CHARGES_OF_RUN                                                  \
  "ARRAY(SELECT g.id FROM dpmix.charge g WHERE g.id > r.charges_after " \
  "      AND g.parameters @> jsonb_build_object('schedule_run', r.id) ORDER BY g.id)"
// Whose tables were charged see the schedule, should its names mean others than at its creation.
#define SHOW_TO_CHARGED                                                                    \
  ", shown AS (UPDATE dpmix.schedule s SET table_ids = s.table_ids || n.ids FROM ("        \
  "    SELECT c.schedule_id, array_agg(DISTINCT g.table_id) AS ids "                       \
  "    FROM closed c JOIN dpmix.charge g ON g.id = ANY (c.charge_ids) "                    \
  "    JOIN dpmix.schedule k ON k.id = c.schedule_id AND g.table_id <> ALL (k.table_ids) " \
  "    GROUP BY c.schedule_id) n WHERE s.id = n.schedule_id) SELECT state FROM closed"
Statement close_open = {
    "WITH closed AS (UPDATE dpmix.schedule_run r SET finished = clock_timestamp(), charge_ids = "
    "c.ids, "
    "    state = CASE WHEN c.ids = '{}' THEN 'failed' ELSE 'spent' END, "
    "    sqlstate = coalesce(r.sqlstate, '57000'), "
    "    message = coalesce(r.message, 'the attempt was cut off') "
    "FROM (SELECT r.id, " CHARGES_OF_RUN
    " AS ids FROM dpmix.schedule_run r WHERE r.id = $1) c "
    "WHERE r.id = c.id AND r.state = 'running' "
    "RETURNING r.schedule_id, r.charge_ids, r.state)" SHOW_TO_CHARGED};
Statement close_done = {
    "WITH closed AS (UPDATE dpmix.schedule_run r SET finished = clock_timestamp(), "
    "    state = 'stored', charge_ids = " CHARGES_OF_RUN
    " WHERE r.id = $1 AND r.state = 'running' "
    "RETURNING r.schedule_id, r.charge_ids, r.state)" SHOW_TO_CHARGED};
#undef CHARGES_OF_RUN
#undef SHOW_TO_CHARGED

Statement note_error = {
    "UPDATE dpmix.schedule_run SET sqlstate = $2, message = $3, detail = $4, hint = $5 "
    "WHERE id = $1 AND state = 'running'"};

}  // namespace

int64 insert_attempt(const Schedule* schedule, int64 period, int32 attempt) {
  int64 run = 0;
  const char* role = GetUserNameFromId(GetUserId(), false);
  as_catalog_owner([&] {
    (void)write_rows(insert_run,
                     {schedule->id, period, time_value(due_of(schedule->calendar, period)), attempt,
                      attempt == 0 ? "skipped" : "running", name_value(role)});
    run = ResultRow{}.int8(1);
  });
  return run;
}

int64 last_period(const Schedule* schedule) {
  int64 period = schedule->first_period - 1;
  as_catalog_owner([&] {
    (void)read_rows(last, {schedule->id});
    if (!ResultRow{}.is_null(1)) period = ResultRow{}.int8(1);
  });
  return period;
}

Attempt last_attempt(const Schedule* schedule, int64 period) {
  Attempt found = {};
  as_catalog_owner([&] {
    if (read_rows(attempts, {schedule->id, period}) == 0) return;
    found = {ResultRow{}.text(1), ResultRow{}.int4(2), ResultRow{}.time(3)};
  });
  return found;
}

int running_attempts(const Schedule* schedule, int64** ids) {
  return read_numbers(running, schedule->id, ids);
}

void close_attempt(int64 run) {
  as_catalog_owner([&] { (void)write_rows(close_open, {run}); });
}

void close_stored(int64 run) {
  uint64 closed = 0;
  as_catalog_owner([&] { closed = write_rows(close_done, {run}); });
  if (closed == 1) return;
  refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "the record of this attempt is gone",
         "Somebody changed dpmix.schedule_run meanwhile.", "Nothing was stored.");
}

void record_error(int64 run, const ErrorData* error) {
  as_catalog_owner([&] {
    (void)write_rows(note_error, {run, unpack_sql_state(error->sqlerrcode), error->message,
                                  error->detail, error->hint});
  });
}

}  // namespace dpmix::pg
