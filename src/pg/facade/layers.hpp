// Sub-selects over facades that are private layers: what they make of one person's rows is no
// result, but rows that are aggregated above (docs/proofs/people.md).
#pragma once

#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Whether a query within a statement that aggregates private rows does so for each person: it
// groups by the privacy unit, or is about the row around it.
bool is_layer(const QueryLevel* level);

// Whether a query that aggregates private rows reads them through layers, or one table twice: then
// it is asked with all of its sub-selects.
bool reads_layers(const QueryLevel* level);

// A copy of it in which facades are their protected tables and WITH is written out: what the text
// of a private query may have. tables, facades: oids of what it reads, added to.
Query* over_tables(const QueryLevel* level, List** tables, List** facades);

}  // namespace dpmix::pg
