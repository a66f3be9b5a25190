// Temporary tables of the caller's session in a private query: they are joined as public ones.
//
// A temporary table is its session's alone, so the session reads it, with the caller's rights,
// before anything is charged, and its rows go along to the release process (shipped_tables.hpp).
// For that, what it holds must have nothing of protected rows: whoever may read a protected table
// of the query puts what is public into an ordinary table, and declares that it is.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// Whether a private query may read it so. PV002: a temporary one that it cannot read.
bool is_own_temporary(Oid relation);
// That, or declared public.
bool is_public_here(Oid relation);
// PV002 where the caller may read rows of the protected table.
void require_nothing_protected(Oid temporary, const ProtectedTable* table);

// Caller: those that the text names, as a release takes them along. PV002: made or altered by this
// transaction. PV005: they take more than dpmix.scan_memory.
StringInfoData temporary_tables_in(const char* text);

// A text that is another one where such a table has other columns, rows, keys or NOT NULLs.
const char* digest_of_rows(Oid temporary);

}  // namespace dpmix::pg
