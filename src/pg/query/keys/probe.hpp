// Key expressions evaluated on public values.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// An expression over one or more columns, evaluated again and again: the n-th column has the value
// of parameter n.
struct KeyProbe;
KeyProbe* probe_of(const Expr* expression, int columns, Var* const* column);
// The expression's value, in the current memory context; `missing`: which columns are NULL, or
// NULL: none. PV005: it raises.
Datum evaluate_probe(KeyProbe* probe, const Datum* value, const bool* missing, bool* null);
void end_probe(KeyProbe* probe);

}  // namespace dpmix::pg
