// What a call of dpmix.release_cube asks for: a query with grouping sets, all of whose tables are
// kept; or what another kind asks for, that keeps the groups of a query.
#pragma once

#include "pg/query/query.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

struct CubeCall {
  const char* name;
  Oid relation;        // or the first table of the source
  const char* source;  // the SELECT in its place; NULL: none
  int keys;
  bool sets;  // grouping sets of them; false: one group by all
  QueryCall query;
};
CubeCall cube_call(FunctionCallInfo fcinfo);
// FROM and WHERE of its query. condition: as the caller wrote it; NULL: none.
void append_rows(StringInfo query, const CubeCall& call, const char* condition);
// Refuses whatever may be refused. Free, and reads no row.
PricedQuery priced_cube(const CubeCall& call);

// Names as they are read later: the columns of the keys, in the order of the shape; "count",
// "avg(wage)", in the order of its aggregates.
const char** key_names(const PricedQuery& priced);
const char** measure_names(const PricedQuery& priced);
// A measure as it is called here, from what the caller wrote: a column is its average. PV005.
const char* measure_name(const char* written);

}  // namespace dpmix::pg
