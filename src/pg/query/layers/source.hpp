// A text of rows of people, where a release is asked of them in place of a table.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// One SELECT that is a layer, its tables opened as the caller: what a release reads, with the terms
// of the account that pays. PV002: it is no layer; PV005: two columns have one name; PV006: a table
// is neither protected, with access, nor public.
ProtectedTable* table_of_text(const char* text);

}  // namespace dpmix::pg
