// Made-up rows for tools that must see some: of a facade made with rows => 'synthetic', for readers
// who ask for them (dpmix.rows). Nobody shall take them for rows of the table, so both sides agree,
// and the whole statement is a list of columns or expressions FROM the one facade, with WHERE,
// ORDER BY and LIMIT, that a client sent: nothing counts, joins, keeps or hides them, and their
// last column says what they are.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

constexpr char kSyntheticColumn[] = "dpmix_synthetic";

// Of a statement just analysed (client_statements.hpp). False: it shows none.
bool show_synthetic_rows(Query* query);

// The table of made-up rows that a facade names, or why it cannot be: it is gone, not declared
// public, or not of the facade's owner. In text, for DETAIL; NULL: it may be used.
const char* synthetic_table_defect(Oid table, Oid owner);

}  // namespace dpmix::pg
