// What functions over rows look up when they meet the first value of a type or collation.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

struct OpenedTypes {
  List *types, *collations;  // each is opened once
};

// Opens a type with its elements and subtypes. InvalidOid: nothing.
void open_type(OpenedTypes* opened, Oid type);
void open_collation(OpenedTypes* opened, Oid collation);
// Opens the operator of a hash join.
void open_hash_operator(Oid op);
// Opens the operator of a sort.
void open_sort_operator(Oid op, Oid collation);

}  // namespace dpmix::pg
