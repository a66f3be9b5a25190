#include "pg/scan/memory.hpp"

#include <climits>

#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

int scan_memory = 256 * 1024;  // kB

}  // namespace

void scan_memory_init() {
  DefineCustomIntVariable("dpmix.scan_memory", "Memory that a release may take for protected rows.",
                          "What needs more is done in shares, each in scans of its own.",
                          &scan_memory, scan_memory, 1024, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB,
                          NULL, NULL, NULL);
}

double scan_memory_bytes() {
  return scan_memory * 1024.;
}

}  // namespace dpmix::pg
