#include "pg/schedule/attempts.hpp"

#include "pg/catalog/protected_table.hpp"
#include "pg/schedule/statement.hpp"

namespace dpmix::pg {
namespace {

Statement last = {
    "SELECT max(period) FROM dpmix.schedule_run WHERE schedule_id = $1", 1, {INT8OID}, NULL};

Statement attempts = {
    "SELECT state, attempt FROM dpmix.schedule_run WHERE schedule_id = $1 AND period = $2 "
    "ORDER BY attempt DESC LIMIT 1",
    2,
    {INT8OID, INT8OID},
    NULL};

Statement insert_run = {
    "INSERT INTO dpmix.schedule_run (schedule_id, period, due, attempt, state, role, finished, "
    "    charges_after) "
    "VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $4 = 0 THEN clock_timestamp() END, "
    "        coalesce((SELECT max(id) FROM dpmix.charge), 0)) RETURNING id",
    6,
    {INT8OID, INT8OID, TIMESTAMPTZOID, INT4OID, TEXTOID, NAMEOID},
    NULL};

Statement running = {
    "SELECT id FROM dpmix.schedule_run WHERE schedule_id = $1 AND state = 'running' ORDER BY id",
    1,
    {INT8OID},
    NULL};

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
    "RETURNING r.schedule_id, r.charge_ids, r.state)" SHOW_TO_CHARGED,
    1,
    {INT8OID},
    NULL};
Statement close_done = {
    "WITH closed AS (UPDATE dpmix.schedule_run r SET finished = clock_timestamp(), "
    "    state = 'stored', charge_ids = " CHARGES_OF_RUN
    " WHERE r.id = $1 AND r.state = 'running' "
    "RETURNING r.schedule_id, r.charge_ids, r.state)" SHOW_TO_CHARGED,
    1,
    {INT8OID},
    NULL};
#undef CHARGES_OF_RUN
#undef SHOW_TO_CHARGED

Statement note_error = {
    "UPDATE dpmix.schedule_run SET sqlstate = $2, message = $3, detail = $4, hint = $5 "
    "WHERE id = $1 AND state = 'running'",
    5,
    {INT8OID, TEXTOID, TEXTOID, TEXTOID, TEXTOID},
    NULL};

struct AttemptLookup {
  Datum values[2];
  Attempt found;
};

void run_attempts(void* arg) {
  AttemptLookup* lookup = (AttemptLookup*)arg;
  if (read_rows(attempts, lookup->values) == 0) return;
  bool null;
  lookup->found = {result_text(0, 1), DatumGetInt32(result_datum(0, 2, &null))};
}

struct RunningLookup {
  Datum schedule;
  MemoryContext context;
  int count;
  int64* ids;
};

void run_running(void* arg) {
  RunningLookup* lookup = (RunningLookup*)arg;
  lookup->count = (int)read_rows(running, &lookup->schedule);
  lookup->ids = (int64*)MemoryContextAlloc(lookup->context, sizeof(int64) * Max(lookup->count, 1));
  for (int i = 0; i < lookup->count; i++) {
    bool null;
    lookup->ids[i] = DatumGetInt64(result_datum(i, 1, &null));
  }
}

}  // namespace

int64 insert_attempt(const Schedule* schedule, int64 period, int32 attempt) {
  const Datum values[] = {Int64GetDatum(schedule->id),
                          Int64GetDatum(period),
                          TimestampTzGetDatum(due_of(schedule->calendar, period)),
                          Int32GetDatum(attempt),
                          CStringGetTextDatum(attempt == 0 ? "skipped" : "running"),
                          name_datum(GetUserNameFromId(GetUserId(), false))};
  return DatumGetInt64(write_catalog(&insert_run, values).first);
}

int64 last_period(const Schedule* schedule) {
  const Datum id = Int64GetDatum(schedule->id);
  const StatementResult run = read_catalog(&last, &id);
  return run.null ? schedule->first_period - 1 : DatumGetInt64(run.first);
}

Attempt last_attempt(const Schedule* schedule, int64 period) {
  AttemptLookup lookup = {{Int64GetDatum(schedule->id), Int64GetDatum(period)}, {NULL, 0}};
  as_catalog_owner(run_attempts, &lookup);
  return lookup.found;
}

int running_attempts(const Schedule* schedule, int64** ids) {
  RunningLookup lookup = {Int64GetDatum(schedule->id), CurrentMemoryContext, 0, NULL};
  as_catalog_owner(run_running, &lookup);
  *ids = lookup.ids;
  return lookup.count;
}

const char* close_attempt(int64 run) {
  const Datum id = Int64GetDatum(run);
  return write_catalog(&close_open, &id).text;
}

void close_stored(int64 run) {
  const Datum id = Int64GetDatum(run);
  if (write_catalog(&close_done, &id).rows == 1) return;
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                  errmsg("the record of this attempt is gone"),
                  errdetail("Somebody changed dpmix.schedule_run meanwhile."),
                  errhint("Nothing was stored.")));
}

void record_error(int64 run, const ErrorData* error) {
  const char* const texts[] = {unpack_sql_state(error->sqlerrcode), error->message, error->detail,
                               error->hint};
  Datum values[5] = {Int64GetDatum(run)};
  char nulls[] = "     ";
  for (int i = 0; i < (int)lengthof(texts); i++) {
    if (texts[i] == NULL) nulls[i + 1] = 'n';
    values[i + 1] = texts[i] != NULL ? CStringGetTextDatum(texts[i]) : (Datum)0;
  }
  (void)write_catalog(&note_error, values, nulls);
}

}  // namespace dpmix::pg
