// Whether a text has layers; then what they are, and a query over them as over a table.
#pragma once

#include "pg/query/read/sources.hpp"

namespace dpmix::pg {

// The scope of an analysed text with layers, whose only source is one: queries that are no table
// become what it reads. PV002, PV006: as of a query of tables.
RowScope layered_scope(const Query* text, bool all_blocks);

// The same of a text that is a layer itself, over which there is no query yet.
RowScope layer_scope(const Query* rows);
// A text over the layer, that of the scope, was analysed by types that its columns have in their
// text: by those that they are computed in, in place.
void use_computed_types(Query* text, const RowScope* scope);

// The query's entry of FROM as it is run.
void run_layers(Query* query, const QuerySources* sources);
// What a query over layers holds; NULL: nothing.
HeldUnits* held_by(const QuerySources* sources);

}  // namespace dpmix::pg
