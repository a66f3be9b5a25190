// What a plain query may cost: the settings dpmix.epsilon, delta, error, keys, max_groups and
// dry_run, and what facades declare.
//
// A setting counts only for the role that set it. Otherwise a caller could choose what somebody
// else's function (SECURITY DEFINER) or materialized view spends. What the server's configuration
// or the database says counts for every role.
#pragma once

#include <optional>

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

// Of _PG_init.
void plain_settings_init();

struct PlainTerms {  // plain bytes: they travel to the process that makes the release
  double epsilon, delta;
  double half_width;  // of the first aggregate's 95% interval; 0: epsilon says it
  int max_groups;     // 0: no limit
  bool discover, all_blocks, dry_run;
};
// What the current role pays for a query over these facades (oids). PV005: nothing says how much,
// or it is more than a facade allows.
PlainTerms plain_terms(const List* facades);
// Whether groups are searched for, as far as the current role's settings say.
bool plain_keys_discovered();

}  // namespace dpmix::pg
