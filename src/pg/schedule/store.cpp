#include "pg/schedule/store.hpp"

#include "pg/border/settings.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/named.hpp"
#include "pg/catalog/role_number.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

Statement find = {
    "SELECT s.id, s.name, o.oid, n.name, s.kind, s.call, s.period, s.start, s.first_period, "
    "       s.time_zone, s.search_path, s.date_style, s.epsilon, s.delta, s.active, "
    "       s.result_schema, s.result_table, s.columns, s.types::oid[], "
    "       ARRAY(SELECT coalesce(c.relowner, w.oid, 0) FROM unnest(s.table_ids) i "
    "             LEFT JOIN dpmix_internal.known_table t ON t.id = i "
    "             LEFT JOIN pg_class c ON c.oid = t.relation "
    "             LEFT JOIN dpmix.protected_table p ON p.id = i AND p.waiting "
    "             LEFT JOIN dpmix_internal.bound_role w ON w.number = p.owner) "
    "FROM dpmix.schedule s JOIN dpmix_internal.named_role n ON n.number = s.owner "
    "LEFT JOIN dpmix_internal.bound_role o ON o.number = s.owner "
    "WHERE s.id = $1"};

Statement active = {
    "SELECT s.id FROM dpmix.schedule s JOIN dpmix_internal.bound_role o ON o.number = s.owner "
    "WHERE s.active AND $1 IN (o.oid, 0) ORDER BY s.id"};

// Those of its roles, and of roles that are gone for superusers.
Statement shown = {DPMIX_NAMED("known_schedule", "owner") "AND v.owned " DPMIX_NAMED_ORDER};

Statement insert = {
    "INSERT INTO dpmix.schedule (name, owner, kind, call, table_ids, period, start, "
    "    first_period, time_zone, search_path, date_style, epsilon, delta) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "
    "ON CONFLICT (name, owner) DO NOTHING RETURNING id"};

Statement insert_result = {
    "UPDATE dpmix.schedule SET result_schema = $2, result_table = $3, columns = $4, "
    "    types = $5::regtype[] WHERE id = $1"};

Statement activate = {"UPDATE dpmix.schedule SET active = $2 WHERE id = $1"};

Statement delete_row = {
    "WITH runs AS (DELETE FROM dpmix.schedule_run WHERE schedule_id = $1) "
    "DELETE FROM dpmix.schedule WHERE id = $1"};

Schedule* read_schedule(const ResultRow& row) {
  int columns, types, tables;
  char** column = row.texts(18, &columns);
  Oid* type = row.oids(19, &types);
  if (types != columns) elog(ERROR, "columns of a schedule have no types");
  Oid* table_owner = row.oids(20, &tables);
  Schedule* found = (Schedule*)SPI_palloc(sizeof(Schedule));
  *found = {.id = row.int8(1),
            .name = row.text(2),
            .owner = row.oid(3),
            .owner_name = row.text(4),
            .kind = row.text(5),
            .call = row.text(6),
            .calendar = {row.time(8), *DatumGetIntervalP(row.copy(7))},
            .first_period = row.int8(9),
            .time_zone = row.text(10),
            .search_path = row.text(11),
            .date_style = row.text(12),
            .epsilon = row.float8(13),
            .delta = row.float8(14),
            .active = row.truth(15),
            .result_schema = row.text(16),
            .result_table = row.text(17),
            .columns = columns,
            .column = column,
            .type = type,
            .tables = tables,
            .table_owner = table_owner};
  return found;
}

LOCKTAG lock_of(int64 schedule) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("schedule"), (uint32)schedule, 0);
  return tag;
}

bool has_rights_of(Oid role) {
  return OidIsValid(role) ? has_privs_of_role(GetUserId(), role) : superuser();
}

}  // namespace

Schedule* find_schedule(int64 id) {
  Schedule* found = NULL;
  as_catalog_owner([&] {
    if (read_rows(find, {id}) > 0) found = read_schedule({});
  });
  return found;
}

int read_numbers(Statement& statement, Value argument, int64** numbers) {
  int count = 0;
  as_catalog_owner([&] {
    count = (int)read_rows(statement, {argument});
    *numbers = (int64*)SPI_palloc(sizeof(int64) * Max(count, 1));
    for (int i = 0; i < count; i++) (*numbers)[i] = ResultRow{(uint64)i}.int8(1);
  });
  return count;
}

int active_schedules(Oid owner, int64** ids) {
  return read_numbers(active, owner, ids);
}

bool owns_schedule(const Schedule* schedule) {
  return has_rights_of(schedule->owner);
}

Schedule* open_schedule(const char* name) {
  const int64 id = find_named(shown, "schedule", name);
  Schedule* schedule = id != 0 ? find_schedule(id) : NULL;
  if (schedule == NULL) {
    refuse(ErrorCode::not_protected,
           psprintf("schedule \"%s\" does not exist, or is not yours", quoted_prefix(name)),
           "A schedule is for the role that made it, and its members.",
           "dpmix.schedules shows those that you may see.");
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

void insert_schedule(const Schedule* schedule, const int64* table_ids, int tables) {
  bool inserted = false;
  as_catalog_owner([&] {
    inserted =
        write_rows(insert, {schedule->name, role_number(schedule->owner), schedule->kind,
                            schedule->call, int8_array(table_ids, tables),
                            Value(INTERVALOID, IntervalPGetDatum(&schedule->calendar.period)),
                            time_value(schedule->calendar.start), schedule->first_period,
                            schedule->time_zone, schedule->search_path, schedule->date_style,
                            schedule->epsilon, schedule->delta}) > 0;
    if (!inserted || schedule->result_table == NULL) return;
    const int64 id = ResultRow{}.int8(1);
    (void)write_rows(insert_result,
                     {id, name_value(schedule->result_schema), name_value(schedule->result_table),
                      name_array(schedule->column, schedule->columns),
                      oid_array(schedule->type, schedule->columns)});
  });
  if (!inserted) {
    refuse_argument(psprintf("schedule \"%s\" exists already", schedule->name),
                    "Each role names its schedules apart.",
                    "Choose another name, or drop it with dpmix.drop_schedule().");
  }
}

void set_active(int64 schedule, bool active) {
  as_catalog_owner([&] { (void)write_rows(activate, {schedule, active}); });
}

void delete_schedule(int64 schedule) {
  as_catalog_owner([&] { (void)write_rows(delete_row, {schedule}); });
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
                              {"dpmix.max_age", "0"},  // new, whatever was asked before
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
