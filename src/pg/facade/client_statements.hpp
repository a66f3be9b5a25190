// What becomes of a statement as soon as it is analysed, and only of one that a client sent: the
// columns that a driver is told of are those that come, and nobody else counts on its rows. So in
// simple and in prepared statements of the protocol, but not in views, functions, cursors, COPY,
// CREATE TABLE AS or PREPARE.
#pragma once

namespace dpmix::pg {

// Called by _PG_init.
void client_statements_init();

}  // namespace dpmix::pg
