#include "pg/counter/store.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/named.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/schedule/store.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/acl.h"
}

namespace dpmix::pg {
namespace {

Statement find = {
    "SELECT s.id, s.name, o.oid, n.name, s.table_id, s.query, s.params, s.period, "
    "       s.grace, s.steps, s.epsilon, s.delta, s.time_zone, s.search_path, s.date_style, "
    "       s.columns, s.statistics::oid[], s.units, s.deviations, s.groups, s.form "
    "FROM dpmix.counter s JOIN dpmix_internal.named_role n ON n.number = s.owner "
    "LEFT JOIN dpmix_internal.bound_role o ON o.number = s.owner "
    "WHERE s.id = $1"};

Statement owned = {DPMIX_NAMED("known_counter", "owner") "AND v.owned " DPMIX_NAMED_ORDER},
          readable = {DPMIX_NAMED("known_counter", "owner") DPMIX_NAMED_ORDER};

Statement insert = {
    "INSERT INTO dpmix.counter (name, owner, table_id, query, params, period, grace, "
    "    steps, epsilon, delta, time_zone, search_path, date_style, columns, statistics, units, "
    "    deviations, groups, form) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::oid[], $16, "
    "    $17, $18, $19) "
    "ON CONFLICT (name, owner) DO NOTHING RETURNING id"};

// Steps stay as long as their counter.
Statement delete_row = {"DELETE FROM dpmix.counter WHERE id = $1"},
          delete_steps = {"DELETE FROM dpmix.counter_step WHERE counter_id = $1"};

Statement steps = {
    "SELECT through_block, until FROM dpmix.counter_step WHERE counter_id = $1 ORDER BY step"};

Statement numbers_of = {
    "SELECT noisy::float8[] FROM dpmix.counter_step WHERE counter_id = $1 AND step <= $2 "
    "ORDER BY step"};

// Nobody drops the counter meanwhile.
Statement keep = {"SELECT FROM dpmix.counter WHERE id = $1 FOR KEY SHARE"};

Statement insert_step = {
    "INSERT INTO dpmix.counter_step (counter_id, step, through_block, until, charge_id, noisy) "
    "VALUES ($1, $2, $3, $4, $5, $6::numeric[])"};

Counter* read_counter(const ResultRow& row) {
  int columns, statistics, units, deviations, groups;
  Counter* found = (Counter*)SPI_palloc(sizeof(Counter));
  *found = {.id = row.int8(1),
            .name = row.text(2),
            .owner = row.oid(3),
            .owner_name = row.text(4),
            .table_id = row.int8(5),
            .query = row.text(6),
            .params = row.is_null(7) ? NULL : DatumGetArrayTypeP(row.copy(7)),
            .period = row.int8(8),
            .grace = row.int8(9),
            .steps = row.int4(10),
            .epsilon = row.float8(11),
            .delta = row.float8(12),
            .time_zone = row.text(13),
            .search_path = row.text(14),
            .date_style = row.text(15),
            .columns = 0,
            .column = row.texts(16, &columns),
            .statistic = (int*)row.oids(17, &statistics),
            .unit = row.float8s(18, &units),
            .statistics = 0,
            .deviation = row.float8s(19, &deviations),
            .groups = 0,
            .group = row.texts(20, &groups),
            .form = row.text(21)};
  if (columns != statistics || columns != units) elog(ERROR, "columns of a counter have no units");
  found->columns = columns;
  found->statistics = deviations;
  found->groups = groups;
  return found;
}

Value optional_texts(ArrayType* array) {
  return {TEXTARRAYOID, PointerGetDatum(array), array == NULL};
}

}  // namespace

Counter* find_counter(const char* name, bool reading) {
  const int64 id = find_named(reading ? readable : owned, "counter", name);
  Counter* found = NULL;
  as_catalog_owner([&] {
    if (id != 0 && read_rows(find, {id}) > 0) found = read_counter({});
  });
  return found;
}

Counter* open_counter(const char* name, bool reading) {
  Counter* counter = find_counter(name, reading);
  if (counter == NULL) {
    refuse(ErrorCode::not_protected,
           psprintf("counter \"%s\" does not exist, or is not yours", quoted_prefix(name)),
           "A counter is for the role that made it, and its members.",
           "dpmix.counters shows those that you may see.");
  }
  return counter;
}

void insert_counter(const Counter* counter) {
  bool inserted = false;
  as_catalog_owner([&] {
    inserted =
        write_rows(insert, {counter->name, role_number(counter->owner), counter->table_id,
                            counter->query, optional_texts(counter->params), counter->period,
                            counter->grace, (int32)counter->steps, counter->epsilon, counter->delta,
                            counter->time_zone, counter->search_path, counter->date_style,
                            text_array(counter->column, counter->columns),
                            oid_array((const Oid*)counter->statistic, counter->columns),
                            float8_array(counter->unit, counter->columns),
                            float8_array(counter->deviation, counter->statistics),
                            text_array(counter->group, counter->groups), counter->form}) > 0;
  });
  if (inserted) return;
  refuse_argument(psprintf("counter \"%s\" exists already", counter->name),
                  "Each role names its counters apart.",
                  "Choose another name, or drop it with dpmix.drop_counter().");
}

void delete_counter(int64 counter) {
  as_catalog_owner([&] {
    (void)write_rows(delete_row, {counter});
    (void)write_rows(delete_steps, {counter});
  });
}

StoredSteps stored_steps(int64 counter) {
  StoredSteps stored = {};
  as_catalog_owner([&] {
    stored.count = (int)read_rows(steps, {counter});
    stored.through = (int64*)SPI_palloc(sizeof(int64) * (stored.count + 1));
    stored.until = (char**)SPI_palloc(sizeof(char*) * (stored.count + 1));
    for (int i = 0; i < stored.count; i++) {
      const ResultRow row = {(uint64)i};
      stored.through[i] = row.int8(1);
      stored.until[i] = row.text(2);
    }
  });
  return stored;
}

double** measurements(const Counter* counter, int count) {
  double** measured = NULL;
  as_catalog_owner([&] {
    const int there = (int)read_rows(numbers_of, {counter->id, (int32)count});
    if (there != count) elog(ERROR, "steps of a counter are gone");
    measured = (double**)SPI_palloc(sizeof(double*) * (count + 1));
    for (int i = 0; i < count; i++) {
      int numbers;
      measured[i] = ResultRow{(uint64)i}.float8s(1, &numbers);
      if (numbers != counter->groups * counter->statistics) {
        elog(ERROR, "a step of a counter has another form");
      }
    }
  });
  return measured;
}

void store_step(int64 counter, int step, int64 through, const char* until, int64 charge,
                const char* numbers) {
  as_catalog_owner([&] {
    if (write_rows(keep, {counter}) == 0) elog(ERROR, "the counter was dropped meanwhile");
    (void)write_rows(insert_step, {counter, (int32)step, through, until, charge, numbers});
  });
}

void lock_counter(int64 counter) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("counter"), (uint32)counter, 0);
  (void)LockAcquire(&tag, ExclusiveLock, false, false);
}

int enter_session(const Counter* counter) {
  Schedule session = {};
  session.time_zone = counter->time_zone;
  session.search_path = counter->search_path;
  session.date_style = counter->date_style;
  return enter_settings(&session);
}

}  // namespace dpmix::pg
