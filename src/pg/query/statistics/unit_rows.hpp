// The rows of privacy units in a query's scan: what counts them before, and the shares that they
// come in. What sampling and weighing have in common.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

// What tells units apart: their column, and besides it `apart`; NULL: nothing else.
List* unit_columns(const RowScope* scope, Expr* apart);
// The keys of a grouped query, in the order of its targets. PV002: too many for functions that are
// told a row's unit and keys, and `more` arguments.
List* keys_of(const Query* query, const List* unit, int more);
// Plans the scan that counts: of each row that WHERE admits its unit, then its keys, then `more`
// (booleans). Leaves to the caller what is found of them.
UnitsToSample units_to_count(const Query* query, const RowScope* scope, const QueryGroups* groups,
                             const List* unit, const List* keys, const List* more);

// An int4 constant.
Expr* whole_number(int value);
// The columns of a layer from `first` on, so many.
List* columns_from(const Query* layer, int first, int count);
// FROM the shares, one after the other, for each of which the layer, which has its number, is read
// anew; the column that tells it. Of one share: 0.
Expr* add_shares(Query* query, Query* layer, const SampledUnits* units);

}  // namespace dpmix::pg
