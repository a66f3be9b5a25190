// What a plain query may cost: the settings dpmix.epsilon, delta, error, keys, max_groups, max_rows
// and dry_run, and what facades declare. And what is shown of it: dpmix.suppress and
// dpmix.intervals.
//
// A setting counts only for the role that set it. Otherwise a caller could choose what somebody
// else's function (SECURITY DEFINER) or materialized view spends. What the server's configuration
// or the database says counts for every role.
#pragma once

#include <optional>

#include "pg/query/keys/groups.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

// Called by _PG_init.
void plain_settings_init();

struct PlainTerms {  // plain bytes: they travel to the process that makes the release
  double epsilon, delta;
  double half_width;  // that of the first 95% interval; 0: epsilon says it
  double group_rows;  // that it is meant for, where it depends on them; 0: nobody says
  int max_groups;     // 0: no limit
  int max_rows;       // 0: what owners declared
  KeysAsked keys;
  bool all_blocks, dry_run;
  double suppress;  // plain_suppressed_share()
};
// What the current role pays for a query over these facades (oids). PV005: nothing says how much,
// or it is more than a facade allows.
PlainTerms plain_terms(const List* facades);
// Cells whose 95% interval is wider than this share of them are not shown; 0: all are.
double plain_suppressed_share();
// Whether a client's statements have interval ends as columns (interval_columns.hpp).
bool plain_intervals_wanted();
// Whether min(x) and max(x) alone are the declared bounds (bounds_looks.hpp).
bool plain_bounds_wanted();
// Whether made-up rows are shown where a facade has some (synthetic_looks.hpp).
bool plain_synthetic_wanted();
// Whether a look at columns under a condition gives no rows, too (column_looks.hpp).
bool plain_no_rows_wanted();
// How groups are asked for, and whether there is a delta to discover them with.
GroupsAsked plain_groups(const List* facades);

}  // namespace dpmix::pg
