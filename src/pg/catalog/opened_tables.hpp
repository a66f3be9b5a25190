// What open_protected() found, kept while the epoch of the catalog lasts: for each table and user.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// A copy in the caller's memory; NULL: not kept. With the relation locked.
ProtectedTable* find_opened(Oid relation, Oid user, uint64 epoch);
// Keeps a table while its epoch lasts: one other than 0, begun before anything of the table was
// looked at, with the relation watched since then. No effect if it has ended.
void keep_opened(const ProtectedTable* table, Oid user, uint64 epoch);

}  // namespace dpmix::pg
