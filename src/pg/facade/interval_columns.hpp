// dpmix.intervals: a SELECT over a facade that a client sent has the ends of its columns' intervals
// as columns of its own, after all others: people, people_low, people_high.
//
// They are added as soon as the statement is analysed: the columns that a driver is told of are
// those that come. So only where nobody else counts on them: not in views, functions, cursors,
// COPY, CREATE TABLE AS or PREPARE, but in simple and in prepared statements of the protocol.
#pragma once

namespace dpmix::pg {

// Of _PG_init.
void interval_columns_init();

}  // namespace dpmix::pg
