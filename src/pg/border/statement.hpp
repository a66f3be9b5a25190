// SQL on the catalog's own tables: prepared once per process, run inside as_catalog_owner() or the
// ledger worker. Every run sees the newest committed rows (and the caller's own), whatever the
// isolation level of the caller: rights and budgets are never read from an old snapshot.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/spi.h"
}

namespace dpmix::pg {

struct Statement {
  static constexpr int kMaxArguments = 14;
  const char* sql;  // every name qualified
  int arguments;
  Oid types[kMaxArguments];
  SPIPlanPtr plan;
};

// nulls: NULL when no argument is NULL. Results are in SPI_tuptable, counted by the return value.
uint64 read_rows(Statement& statement, const Datum* values, const char* nulls = NULL);
uint64 write_rows(Statement& statement, const Datum* values, const char* nulls = NULL);

// A value of type name, for an argument.
Datum name_datum(const char* text);

// A column (from 1) of a row (from 0) of SPI_tuptable.
Datum result_datum(uint64 row, int column, bool* null);
// Its text form in the context of SPI's caller; NULL for NULL.
char* result_text(uint64 row, int column);

}  // namespace dpmix::pg
