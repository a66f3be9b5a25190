// The exact statistics of a private query, over the rows of one database among several, as a query
// of PostgreSQL's own: what dpmix.partial_sql writes and dpmix.partial runs.
//
// Enters: a query that passed the validator. Leaves: a Query that returns, for each group that has
// rows, its keys as values and one mergeable state for each statistic that is computed (equal ones
// once), all columns named. No rights are in it but those of whoever runs it: PostgreSQL checks
// them as of any SELECT. What it returns has no noise.
#pragma once

#include "pg/query/query.hpp"

namespace dpmix::pg {

// PV002: the statistics of several databases do not add up to those of one.
Query* partial_query(const CheckedQuery& checked);

// Settings under which SQL means the same in any session; the level to end with AtEOXact_GUC.
int begin_portable_sql();

// The query as text: names are qualified and constants exact, whatever this session's settings. It
// means the same wherever pg_catalog comes first in search_path and standard_conforming_strings is
// on.
char* text_of_query(Query* query);

}  // namespace dpmix::pg
