// SQL on the catalog's own tables: prepared once per process, run inside as_catalog_owner() or the
// ledger worker. Every run sees the newest committed rows (and the caller's own), whatever the
// isolation level of the caller: rights and budgets are never read from an old snapshot.
#pragma once

#include <initializer_list>

#include "pg/border/value.hpp"

extern "C" {
#include "executor/spi.h"
}

namespace dpmix::pg {

struct Statement {
  const char* sql;  // read and run under_own_path(), as all statements here
  SPIPlanPtr plan = NULL;
};

// $1, $2, ... are the arguments, of the same types in each run. Results are in SPI_tuptable,
// counted by the return value. What is read is counted nowhere: which rows there are is not for
// everybody who may call a function that looks.
uint64 read_rows(Statement& statement, std::initializer_list<Value> arguments = {});
uint64 write_rows(Statement& statement, std::initializer_list<Value> arguments = {});

// A text made for the occasion. expected: SPI_OK_SELECT, which reads alone, or SPI_OK_UTILITY.
void run_text(const char* sql, int expected);

// A row (from 0) of SPI_tuptable; columns from 1. NULL is 0, false or NULL. What is no plain value
// is in the memory context of SPI's caller.
struct ResultRow {
  uint64 number = 0;

  Datum datum(int column, bool* null) const;
  bool is_null(int column) const;
  bool truth(int column) const;
  int32 int4(int column) const;
  int64 int8(int column) const;
  double float8(int column) const;
  Oid oid(int column) const;
  TimestampTz time(int column) const;
  char* text(int column) const;  // as PostgreSQL prints it
  // A value of any type; a copy.
  Datum copy(int column) const;
  // Arrays of oid, float8, name and text: a palloc'd list of the elements, and its length.
  Oid* oids(int column, int* count) const;
  double* float8s(int column, int* count) const;
  char** texts(int column, int* count) const;
};

}  // namespace dpmix::pg
