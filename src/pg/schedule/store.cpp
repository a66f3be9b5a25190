#include "pg/schedule/store.hpp"

#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/mixture/store.hpp"
#include "pg/schedule/statement.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/quoted.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/namespace.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement find = {
    "SELECT s.id, s.name, o.oid, s.owner, s.kind, s.spec, s.period, s.start, s.first_period, "
    "       s.time_zone, s.search_path, s.date_style, s.epsilon, s.delta, s.active, "
    "       s.result_schema, s.result_table, s.columns, s.types::oid[], "
    "       ARRAY(SELECT coalesce(c.relowner, 0) FROM unnest(s.table_ids) i "
    "             LEFT JOIN dpmix_internal.known_table t ON t.id = i "
    "             LEFT JOIN pg_class c ON c.oid = t.relation) "
    "FROM dpmix.schedule s "
    "LEFT JOIN pg_roles o ON o.oid = s.owner_oid AND o.rolname = s.owner "
    "WHERE s.name = $1 OR s.id = $2",
    2,
    {TEXTOID, INT8OID},
    NULL};

Statement insert = {
    "INSERT INTO dpmix.schedule (name, owner, owner_oid, kind, spec, table_ids, period, start, "
    "    first_period, time_zone, search_path, date_style, epsilon, delta) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) "
    "ON CONFLICT (name) DO NOTHING RETURNING id",
    14,
    {TEXTOID, NAMEOID, OIDOID, TEXTOID, JSONBOID, INT8ARRAYOID, INTERVALOID, TIMESTAMPTZOID,
     INT8OID, TEXTOID, TEXTOID, TEXTOID, FLOAT8OID, FLOAT8OID},
    NULL};

Statement insert_result = {
    "UPDATE dpmix.schedule SET result_schema = $2, result_table = $3, columns = $4, "
    "    types = $5::regtype[] WHERE id = $1",
    5,
    {INT8OID, NAMEOID, NAMEOID, NAMEARRAYOID, OIDARRAYOID},
    NULL};

Statement activate = {
    "UPDATE dpmix.schedule SET active = $2 WHERE id = $1", 2, {INT8OID, BOOLOID}, NULL};

Statement remove = {
    "WITH runs AS (DELETE FROM dpmix.schedule_run WHERE schedule_id = $1) "
    "DELETE FROM dpmix.schedule WHERE id = $1",
    1,
    {INT8OID},
    NULL};

Statement others_releases = {"SELECT r.name FROM dpmix.release r WHERE r.name ~ ' " SCHEDULED_AT
                             "$' "
                             "    AND regexp_replace(r.name, ' " SCHEDULED_AT
                             "$', '') = $1 "
                             "    AND (r.maker, r.maker_oid) IS DISTINCT FROM ($2, $3) LIMIT 1",
                             3,
                             {TEXTOID, NAMEOID, OIDOID},
                             NULL};

struct Lookup {
  const char* name;
  int64 id;
  MemoryContext context;
  Schedule* found;
};

Oid* oids_of(Datum datum, int* count) {
  ArrayType* array = DatumGetArrayTypePCopy(datum);
  *count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  return (Oid*)ARR_DATA_PTR(array);
}

void read_result(Schedule* schedule) {
  bool null;
  const Datum columns = result_datum(0, 18, &null);
  if (null) return;
  Datum* elements;
  deconstruct_array(DatumGetArrayTypeP(columns), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
                    &elements, NULL, &schedule->columns);
  schedule->column = (char**)palloc(sizeof(char*) * Max(schedule->columns, 1));
  for (int i = 0; i < schedule->columns; i++) {
    schedule->column[i] = pstrdup(NameStr(*DatumGetName(elements[i])));
  }
  int types;
  schedule->type = oids_of(result_datum(0, 19, &null), &types);
  if (types != schedule->columns) elog(ERROR, "columns of a schedule have no types");
}

void run_find(void* arg) {
  Lookup* lookup = (Lookup*)arg;
  const Datum values[] = {lookup->name != NULL ? CStringGetTextDatum(lookup->name) : (Datum)0,
                          Int64GetDatum(lookup->id)};
  if (read_rows(find, values, lookup->name != NULL ? " n" : "n ") == 0) return;
  bool null;
  MemoryContext old = MemoryContextSwitchTo(lookup->context);
  Schedule* found = lookup->found = (Schedule*)palloc0(sizeof(Schedule));
  found->id = DatumGetInt64(result_datum(0, 1, &null));
  const Datum owner = result_datum(0, 3, &null);
  found->owner = null ? InvalidOid : DatumGetObjectId(owner);
  found->spec = DatumGetJsonbPCopy(result_datum(0, 6, &null));
  found->calendar.period = *DatumGetIntervalP(result_datum(0, 7, &null));
  found->calendar.start = DatumGetTimestampTz(result_datum(0, 8, &null));
  found->first_period = DatumGetInt64(result_datum(0, 9, &null));
  found->epsilon = DatumGetFloat8(result_datum(0, 13, &null));
  found->delta = DatumGetFloat8(result_datum(0, 14, &null));
  found->active = DatumGetBool(result_datum(0, 15, &null));
  read_result(found);
  found->table_owner = oids_of(result_datum(0, 20, &null), &found->tables);
  MemoryContextSwitchTo(old);
  found->name = result_text(0, 2);
  found->owner_name = result_text(0, 4);
  found->kind = schedule_kind_of(result_text(0, 5));
  found->time_zone = result_text(0, 10);
  found->search_path = result_text(0, 11);
  found->date_style = result_text(0, 12);
  found->result_schema = result_text(0, 16);
  found->result_table = result_text(0, 17);
}

LOCKTAG lock_of(int64 schedule) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("schedule"), (uint32)schedule, 0);
  return tag;
}

bool has_rights_of(Oid role) {
  return OidIsValid(role) ? has_privs_of_role(GetUserId(), role) : superuser();
}

void store_result(int64 id, const Schedule* schedule) {
  Datum* names = (Datum*)palloc(sizeof(Datum) * Max(schedule->columns, 1));
  Datum* types = (Datum*)palloc(sizeof(Datum) * Max(schedule->columns, 1));
  for (int i = 0; i < schedule->columns; i++) {
    names[i] = name_datum(schedule->column[i]);
    types[i] = ObjectIdGetDatum(schedule->type[i]);
  }
  const Datum values[] = {Int64GetDatum(id), name_datum(schedule->result_schema),
                          name_datum(schedule->result_table),
                          PointerGetDatum(construct_array(names, schedule->columns, NAMEOID,
                                                          NAMEDATALEN, false, TYPALIGN_CHAR)),
                          PointerGetDatum(construct_array(types, schedule->columns, OIDOID,
                                                          sizeof(Oid), true, TYPALIGN_INT))};
  (void)write_catalog(&insert_result, values);
}

}  // namespace

Schedule* find_schedule(const char* name, int64 id) {
  Lookup lookup = {name, id, CurrentMemoryContext, NULL};
  as_catalog_owner(run_find, &lookup);
  return lookup.found;
}

bool owns_schedule(const Schedule* schedule) {
  return has_rights_of(schedule->owner);
}

Schedule* open_schedule(const char* name) {
  Schedule* schedule = find_schedule(name, 0);
  if (schedule == NULL || !owns_schedule(schedule)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(not_protected)),
                    errmsg("schedule \"%s\" does not exist, or is not yours", shown(name)),
                    errdetail("A schedule is for the role that made it, and its members."),
                    errhint("dpmix.schedules shows those that you may see.")));
  }
  return schedule;
}

bool owns_all_tables(const Schedule* schedule) {
  for (int i = 0; i < schedule->tables; i++) {
    if (!has_rights_of(schedule->table_owner[i])) return false;
  }
  return true;
}

bool owns_a_table(const Schedule* schedule) {
  for (int i = 0; i < schedule->tables; i++) {
    if (has_rights_of(schedule->table_owner[i])) return true;
  }
  return false;
}

int64 insert_schedule(const Schedule* schedule, Datum table_ids) {
  const Datum values[] = {
      CStringGetTextDatum(schedule->name),
      name_datum(schedule->owner_name),
      ObjectIdGetDatum(schedule->owner),
      CStringGetTextDatum(name(schedule->kind)),
      JsonbPGetDatum(schedule->spec),
      table_ids,
      IntervalPGetDatum(&schedule->calendar.period),
      TimestampTzGetDatum(schedule->calendar.start),
      Int64GetDatum(schedule->first_period),
      CStringGetTextDatum(schedule->time_zone),
      CStringGetTextDatum(schedule->search_path),
      CStringGetTextDatum(schedule->date_style),
      Float8GetDatum(schedule->epsilon),
      Float8GetDatum(schedule->delta),
  };
  const StatementResult run = write_catalog(&insert, values);
  if (run.rows == 0) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("schedule \"%s\" exists already", schedule->name),
                    errdetail("Names of schedules are unique in a database."),
                    errhint("Choose another name, or drop it with dpmix.drop_schedule().")));
  }
  const int64 id = DatumGetInt64(run.first);
  if (schedule->result_table != NULL) store_result(id, schedule);
  return id;
}

void require_release_names(const Schedule* schedule) {
  const Datum values[] = {CStringGetTextDatum(schedule->name), name_datum(schedule->owner_name),
                          ObjectIdGetDatum(schedule->owner)};
  if (read_catalog(&others_releases, values).rows == 0) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                  errmsg("another role has releases named as those of schedule \"%s\" would be",
                         schedule->name),
                  errdetail("They are named after a schedule and the time when they were due."),
                  errhint("Choose another name.")));
}

void set_active(int64 schedule, bool active) {
  const Datum values[] = {Int64GetDatum(schedule), BoolGetDatum(active)};
  (void)write_catalog(&activate, values);
}

void delete_schedule(int64 schedule) {
  const Datum id = Int64GetDatum(schedule);
  (void)write_catalog(&remove, &id);
}

void lock_schedule(int64 schedule, bool session) {
  const LOCKTAG tag = lock_of(schedule);
  (void)LockAcquire(&tag, ExclusiveLock, session, false);
}

void unlock_schedule(int64 schedule) {
  const LOCKTAG tag = lock_of(schedule);
  (void)LockRelease(&tag, ExclusiveLock, true);
}

int enter_settings(const Schedule* schedule) {
  // What else a query's text, or what is stored, could depend on is as PostgreSQL has it.
  const Setting settings[] = {{"TimeZone", schedule->time_zone},
                              {"search_path", schedule->search_path},
                              {"DateStyle", schedule->date_style},
                              {"array_nulls", "on"},
                              {"backslash_quote", "safe_encoding"},
                              {"bytea_output", "hex"},
                              {"default_text_search_config", "pg_catalog.simple"},
                              {"extra_float_digits", "1"},
                              {"gin_fuzzy_search_limit", "0"},
                              {"IntervalStyle", "postgres"},
                              {"lc_monetary", "C"},
                              {"lc_numeric", "C"},
                              {"lc_time", "C"},
                              {"row_security", "on"},
                              {"session_replication_role", "origin"},
                              {"standard_conforming_strings", "on"},
                              {"timezone_abbreviations", "Default"},
                              {"transform_null_equals", "off"},
                              {"xmlbinary", "base64"},
                              {"xmloption", "content"}};
  const int level = NewGUCNestLevel();
  for (const Setting& setting : settings) {
    if (strcmp(GetConfigOption(setting.name, false, false), setting.value) == 0) continue;
    set_for_now(setting, PGC_SUSET);
  }
  return level;
}

void leave_settings(int level) {
  AtEOXact_GUC(false, level);
}

}  // namespace dpmix::pg
