#include "pg/query/keys/ranges_in_time.hpp"

#include <cmath>

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
}

#include "pg/query/keys/collected.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

// What is declared may be beyond int64.
int64 clamped(double at, int64 least, int64 last) {
  if (!(at >= (double)least)) return least;
  return at < (double)last ? (int64)at : last;
}

// Bounds that are no times bound nothing more than times are.
Places declared_places(const RowScope* scope, const Var* column) {
  const ColumnDomain bounds = bounds_of(scope, column);
  const Oid type = column->vartype;
  // Times are declared in seconds.
  const double unit = type == TIMESTAMPOID || type == TIMESTAMPTZOID ? 1e6 : 1;
  const int64 least = least_place(type), last = largest_place(type);
  return {clamped(std::ceil(bounds.lower * unit), least, last),
          clamped(std::floor(bounds.upper * unit), least, last)};
}

}  // namespace

PlacesLeft ranges_in_time(const RowScope* scope, const Var* column, bool* none) {
  const Places declared = declared_places(scope, column);
  PlacesLeft met = places_met({(Index)column->varno, column->varattno, declared}, scope->facts);
  *none = met.count == 0;
  if (*none) {
    met = {true, 1, (Places*)palloc(sizeof(Places))};
    met.range[0] = {declared.first, declared.first};
  }
  return met;
}

Node* within_ranges(const Var* column, const PlacesLeft& ranges) {
  const Oid type = column->vartype;
  const auto end = [&](int strategy, int64 at) {
    return (Node*)comparison_with(type, strategy, (Expr*)copyObjectImpl(column),
                                  value_at_place(type, at));
  };
  return make_and_qual(end(BTGreaterEqualStrategyNumber, ranges.range[0].first),
                       end(BTLessEqualStrategyNumber, ranges.range[ranges.count - 1].last));
}

}  // namespace dpmix::pg
