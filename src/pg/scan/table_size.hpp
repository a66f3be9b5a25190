// How large tables are, as PostgreSQL shows everybody.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// An estimate of the rows of a table and of all that it has below it: the one that plans go by.
double rows_in(Oid relation);
// As many rows as memory is had for: a tenth more than rows_in(); if a table was never analysed, as
// many as fit its pages.
double most_rows_in(Oid relation);

}  // namespace dpmix::pg
