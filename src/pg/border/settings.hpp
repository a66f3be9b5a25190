// Settings that PostgreSQL puts back: at the end of the caller's nest level (NewGUCNestLevel to
// AtEOXact_GUC), and with the transaction where an error comes first.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace dpmix::pg {

struct Setting {
  const char* name;
  const char* value;
};

// context: PGC_SUSET for what the user himself may not set.
void set_for_now(const Setting& setting, GucContext context = PGC_USERSET);

}  // namespace dpmix::pg
