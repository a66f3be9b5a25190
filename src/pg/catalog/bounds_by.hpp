// Bounds that go by a category of another column of the table, which that column must tell apart by
// its texts alone: then what the owner wrote, a constant of a query and a group's key are the same
// category in all places, under any setting.
#pragma once

#include "pg/catalog/domains.hpp"

namespace dpmix::pg {

// Texts under a deterministic collation, enums and whole numbers.
bool can_decide_bounds(Oid type, Oid collation);
// The text of a value of such a type: equal where the values are.
char* deciding_text(Oid type, Datum value);

// The place of a text among the categories; -1: it is none of them.
int category_of_bounds(const BoundsBy* by, const char* text);

}  // namespace dpmix::pg
