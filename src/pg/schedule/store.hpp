// Schedules as rows of dpmix.schedule, who may do what with one, and its lock. All pointers are
// palloc'd in the caller's memory context.
#pragma once

#include "pg/border/statement.hpp"
#include "pg/schedule/due.hpp"

namespace dpmix::pg {

struct Schedule {
  int64 id;
  const char* name;
  Oid owner;  // InvalidOid: the role is gone
  const char* owner_name;
  const char* kind;
  const char* call;  // as its maker wrote it
  Calendar calendar;
  int64 first_period;
  const char *time_zone, *search_path, *date_style;
  double epsilon, delta;  // a period's
  bool active;
  // Where rows go; NULL for models.
  const char *result_schema, *result_table;
  int columns;
  char** column;
  Oid* type;
  // Owners of the protected tables that pay; InvalidOid: the table is gone.
  int tables;
  Oid* table_owner;
};

// The schedule of a number. NULL: there is none.
Schedule* find_schedule(int64 id);
// A schedule found by find_named(), for those with the rights of its owner; PV006 for others.
Schedule* open_schedule(const char* name);
// The numbers of rows: what a statement reads of an argument. A palloc'd list.
int read_numbers(Statement& statement, Value argument, int64** numbers);
// Those of schedules that are active, of a role that exists; InvalidOid: of all.
int active_schedules(Oid owner, int64** ids);
bool owns_schedule(const Schedule* schedule);  // the current user
// Whether the current user has the rights of every protected table's owner; or of any of them.
bool owns_all_tables(const Schedule* schedule);
bool owns_a_table(const Schedule* schedule);

// Takes the name: PV005 when it is in use.
void insert_schedule(const Schedule* schedule, const int64* table_ids, int tables);
void set_active(int64 schedule, bool active);
void delete_schedule(int64 schedule);

// One run of a schedule at a time, for a session or (drop, pause) until the transaction ends. Not a
// lock that SQL could release; an error of the transaction releases it.
void lock_schedule(int64 schedule, bool session);
void unlock_schedule(int64 schedule);

// Names and times are from here to leave_settings() those of the session that made the schedule.
int enter_settings(const Schedule* schedule);
void leave_settings(int level);

}  // namespace dpmix::pg
