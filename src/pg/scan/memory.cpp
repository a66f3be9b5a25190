#include "pg/scan/memory.hpp"

#include <climits>

#include "pg/process/shipped_tables.hpp"

extern "C" {
#include "catalog/pg_inherits.h"
#include "storage/lockdefs.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

int scan_memory = 256 * 1024;  // kB
int row_memory = 32 * 1024;

}  // namespace

void scan_memory_init() {
  DefineCustomIntVariable(
      "dpmix.scan_memory", "Memory that a release may take for rows and groups.",
      "What needs more, by the sizes of tables, is done in shares, each in "
      "scans of its own, or refused.",
      &scan_memory, scan_memory, 1024, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
  DefineCustomIntVariable(
      "dpmix.row_memory", "Memory that a query's expressions may take of one row.",
      "What could need more, by the lengths that texts may have, is refused. Each process of a "
      "release has as much of it as its query needs before the first row.",
      &row_memory, row_memory, 1024, 1024 * 1024, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
}

double row_memory_bytes() {
  return row_memory * 1024.;
}

double scan_memory_bytes() {
  return scan_memory * 1024.;
}

double public_size(Oid relation) {
  if (const ShippedTable* table = shipped_table(relation)) return table->bytes;
  double bytes = 0;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    bytes += (double)DatumGetInt64(
        OidFunctionCall1(F_PG_TABLE_SIZE, ObjectIdGetDatum(lfirst_oid(cell))));
  }
  return bytes;
}

}  // namespace dpmix::pg
