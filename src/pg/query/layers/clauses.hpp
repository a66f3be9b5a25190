// GROUP BY, DISTINCT, windows and LIMIT of a layer: each about one person's rows, in an order that
// these rows decide, and without more in memory than there are rows in the tables.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// What no layer has, before anything of it is looked at.
void check_clauses(const Query* query, LayerAs as);
// PV002: they are about the rows of several people, or of rows that multiply.
void check_groups(const LayerQuery* level, LayerAs as);
// Once its targets are made.
void make_clauses(LayerQuery* level);
int64 limit_of(const Query* query);  // that has one
// Whether each unit has one row: one group, or one that differs from none of its own.
bool has_one_row(const LayerQuery* level);

}  // namespace dpmix::pg
