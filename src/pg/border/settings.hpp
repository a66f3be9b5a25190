// Settings that PostgreSQL puts back: at the end of the caller's nest level (NewGUCNestLevel to
// AtEOXact_GUC), and with the transaction where an error comes first.
#pragma once

#include "pg/border/callable.hpp"
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

// The same, whoever may set it, of a setting that another version or extension may not have.
void set_for_now_if_known(const Setting& setting);

// Names mean PostgreSQL's own in it, whatever the caller's search_path is.
void under_own_path(Action body);

// Whether a setting is the wish of the current user, or of the server's configuration: a caller
// must not decide by it what the owner of a SECURITY DEFINER function pays.
bool counts_for_current_user(const char* name);

}  // namespace dpmix::pg
