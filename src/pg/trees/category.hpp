// A value as its number among public categories, in the scan of a row.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// An integer, 0 .. count - 1: the place of a safe value among categories of its type, the first of
// equal ones; NULL for NULL and any other value. Total; takes as long for a thousand categories as
// for ten.
Expr* category_number(const Expr* value, const Datum* category, int count);

// That array: its subscripts begin at 0, as numbers do.
Const* category_array(Oid type, Oid collation, const Datum* category, int count);

}  // namespace dpmix::pg
