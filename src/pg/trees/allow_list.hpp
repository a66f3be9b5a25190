// What may touch a row of a protected table: an explicit list of PostgreSQL's own functions, by
// oid.
//
// Each is total (no value of its argument types raises an error), immutable, and shows nothing of
// its arguments but its result. PostgreSQL's leakproof flag is not the same list: it leaves out
// numeric comparisons, and marks functions that call out. Nothing here looks at names, so a
// shadowed operator or function in the caller's search_path has another oid and is not on the list.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

template <size_t N>
constexpr bool contains(const Oid (&list)[N], Oid wanted) {
  for (Oid oid : list) {
    if (oid == wanted) return true;
  }
  return false;
}

// A comparison that may be applied to columns under this collation (InvalidOid where the type has
// none). Text order asks the collation, so only those of pg_catalog are let in; text equality of a
// deterministic collation is equality of bytes.
bool is_total_comparison(Oid function, Oid collation);

// A cast that takes every value of its argument type; to float4 and float8 it may round.
bool is_widening_cast(Oid function);

// One of pg_catalog: no user's.
bool is_own_collation(Oid collation);

// PostgreSQL's own types, and enums: the only user-defined types without functions of their users.
bool is_own_type(Oid type);

// Own types with a total order.
bool is_key_type(Oid type);

// What may be a group key or a category: such a type, its equality that of bytes where it has a
// collation.
bool may_be_key(Oid type, Oid collation);

// A function of PostgreSQL's own, whose result depends on its arguments alone: may be applied to
// constants before anything else is checked, errors included.
bool is_own_immutable(Oid function);

// One whose result depends besides on the time at which the caller's statement or transaction
// began, on its time zone and on its style of dates: what a release takes over from its caller.
bool is_own_of_time(Oid function);
// One of these that may give another value at another time for the same arguments and settings.
bool is_own_of_now(Oid function);

}  // namespace dpmix::pg
