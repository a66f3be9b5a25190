#include "pg/scan/memory.hpp"

extern "C" {
#include "catalog/pg_inherits.h"
#include "fmgr.h"
#include "storage/lockdefs.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

int setting = 256 * 1024;

}  // namespace

void scan_memory_init() {
  DefineCustomIntVariable(
      "dpmix.scan_memory", "Memory that a release may take for rows that it holds.",
      "What needs more, by the public sizes of tables, is done in several "
      "passes, or refused before the charge.",
      &setting, setting, 1024, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
}

int scan_memory() {
  return setting;
}

double public_size(Oid relation) {
  double bytes = 0;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    bytes += (double)DatumGetInt64(
        OidFunctionCall1(F_PG_TABLE_SIZE, ObjectIdGetDatum(lfirst_oid(cell))));
  }
  return bytes;
}

}  // namespace dpmix::pg
