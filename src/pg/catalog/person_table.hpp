// Whether a population has a table with one row a person: then it is known who has no row
// elsewhere.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// Whether the table's population has one, by declarations alone.
bool has_person_table(const ProtectedTable* table);

}  // namespace dpmix::pg
