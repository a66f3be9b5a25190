// Whether a population has a table with one row a person: then it is known who has no row
// elsewhere.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// Of the population of a table. By declarations alone.
bool has_person_table(const ProtectedTable* table);

}  // namespace dpmix::pg
