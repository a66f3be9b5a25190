// What PostgreSQL's catalog says of a relation.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

Oid relation_owner(Oid relation);          // InvalidOid when it is gone
Oid schema_owner(Oid schema);              // the same
bool owns_relation(Oid relation);          // or has the rights of its owner: the current user
const char* qualified_name(Oid relation);  // and quoted
// A generated column that is not stored: its expression runs when it is read, and could fail on a
// row.
bool is_virtual_column(Oid relation, int16 column);
// Whether a constraint keeps NULLs out of all rows, those of partitions too. A partition has its
// table's constraints; a plain child may have dropped them. With the relation locked.
bool keeps_out_nulls(Oid relation, int16 column);

}  // namespace dpmix::pg
