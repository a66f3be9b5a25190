// What columns of a layer tell of their rows' units, by declarations alone: an index, which comes
// and goes, makes no layer of a text that was none. What a declared key tells holds while one shows
// it.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

bool same_mark(const Mark* a, const Mark* b);
bool is_whole(const Mark* mark);  // the unit, or a key of one column
// The marks of a column of the query, or of one around it.
ColumnMarks known_of(const LayerQuery* level, const Var* column);
// The unit itself, and never NULL.
bool is_unit(const LayerQuery* level, const Node* expression);
// Whether these columns, none of which is NULL, tell whose row it is.
bool determine_unit(const LayerQuery* level, const List* expressions);
// Whether the rows of a query are, by its conditions, of the unit of the row around it.
bool follows_unit_around(const LayerQuery* level);
// The parts of the FROM around a LATERAL query whose unit that is.
Bitmapset* parts_followed(const LayerQuery* level);
// PV002: parts of FROM that are private are not joined by the unit.
void require_one_unit(const LayerQuery* level);

}  // namespace dpmix::pg
