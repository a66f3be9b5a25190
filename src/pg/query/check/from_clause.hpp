// Which FROM clauses may run over protected and public tables.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// FROM with safe conditions in place of the caller's. PV002 names what is not allowed, and what to
// write instead.
List* safe_from(const RowScope* scope);
// The same of one part of it.
Node* safe_from_part(const RowScope* scope, Node* part);

}  // namespace dpmix::pg
