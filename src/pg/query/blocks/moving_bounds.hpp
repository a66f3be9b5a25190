// What a query's WHERE lets through of a block column, at one moment after the other: where the
// column is compared with expressions of one parameter, when a schedule's period is due.
//
// Known only where nothing else decides on the blocks that the query names, and these expressions
// move with the moment for ever: sums with intervals, date_trunc to a year at most, conversions of
// date and time. What else a query asks for may narrow its blocks further, never widen them.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct MovingBounds;  // plain memory of PostgreSQL

// query: as analyse_query_of() gives it, with the parameter left. NULL: not known.
MovingBounds* moving_bounds(const Query* query, int parameter, const QuerySource* source);

// later: the next such moment, until when a range without an upper end goes.
Places places_at(const MovingBounds* bounds, TimestampTz moment, TimestampTz later);

// Whether they are as far from each moment as from any other: no day, month or zone is in them.
bool are_uniform(const MovingBounds* bounds);

}  // namespace dpmix::pg
