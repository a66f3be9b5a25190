// How many rows of a join one privacy unit has, and why: docs/proofs/query_joins.md.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// from, where: with safe conditions. PV002: a protected table that is on the side of a LEFT JOIN
// that may be missing, stands twice, or is joined with another otherwise than on their privacy
// units; a public table that could multiply a unit's rows where nothing else bounds them.
JoinedRows joined_rows(const RowScope* scope, const List* from, const Node* where);

// Once the scan is planned: the partitions that it reads are those whose keys said how many rows a
// unit has. PV004.
void require_planned_parts(const RowScope* scope, const JoinedRows* rows);

}  // namespace dpmix::pg
