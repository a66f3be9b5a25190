// What a query over a table of Citus's must be, so that its shards compute what this node would,
// and nobody learns more than here.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// PV002, before a charge: what cannot be answered rightly where the rows lie.
void require_distributable(const RowScope* scope, const QueryShape* shape);

// A statistics query over such a table, not sampled yet, as it has to be written for other nodes.
// No change to others. PV002 for what depends on the settings of a session, which stay here.
void write_for_shards(Query* query, const QuerySources* sources);

// Whether one of the tables of a query is such a table; and has shards.
bool any_distributed(const QuerySources* sources);
bool reads_shards(const QuerySources* sources);

// Where it is computed: "in 6 tasks on 2 nodes"; NULL: here.
const char* tasks_text(const QuerySources* sources);

}  // namespace dpmix::pg
