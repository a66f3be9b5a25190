// Counters as rows of dpmix.counter, their stored steps, who may do what with one, and its lock.
// All pointers are palloc'd in the caller's memory context.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/array.h"
}

namespace dpmix::pg {

struct Counter {
  int64 id;
  const char* name;
  Oid owner;  // InvalidOid: the role is gone
  const char* owner_name;
  int64 table_id;
  const char* query;
  ArrayType* params;  // NULL: none
  int64 period;       // in blocks
  int64 grace;        // microseconds
  int steps;          // those of its whole life
  double epsilon, delta;
  const char *time_zone, *search_path, *date_style;  // those of the session that made it
  // What each column that it counts is called, of which statistic it is, and what a refined step of
  // that one's lattice is worth.
  int columns;
  char** column;
  int* statistic;
  double* unit;
  int statistics;
  double* deviation;  // that of each statistic's noise, in refined steps
  int groups;
  char** group;      // the keys of each, a JSON object
  const char* form;  // what must stay the same from step to step
};

struct StoredSteps {
  int count;
  int64* through;  // the last block that each has
  char** until;    // the first value behind it
};

// A counter found by find_named(), for those with the rights of who made it, or (reading) of the
// table's owner. NULL: there is none for them, which is PV006 where it is opened.
Counter* find_counter(const char* name, bool reading = false);
Counter* open_counter(const char* name, bool reading = false);

// PV005 when the name is in use.
void insert_counter(const Counter* counter);
void delete_counter(int64 counter);

StoredSteps stored_steps(int64 counter);
// The noisy numbers of stored steps 1 .. count: group by group, and in each the statistics.
double** measurements(const Counter* counter, int count);
// numbers: an array, as text. Whatever became of the caller's transaction; an error where the
// counter is gone, or has the step.
void store_step(int64 counter, int step, int64 through, const char* until, int64 charge,
                const char* numbers);

// One step at a time, until the transaction ends. Not a lock that SQL could release.
void lock_counter(int64 counter);

// Names and times are from here on those of the session that made the counter, until
// leave_settings() of schedules.
int enter_session(const Counter* counter);

}  // namespace dpmix::pg
