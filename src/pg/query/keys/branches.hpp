// Constants of CASE and COALESCE within a key that a row can reach by a value that is not public.
//
// CASE WHEN region = 'n' THEN region ELSE 'rest' END: where 'n' is the only category, none of the
// public values gives 'rest', but rows of other regions do.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct Branch {
  const Expr* choice;  // the CASE or COALESCE
  const Const* result;
};

// A List of Branch*: those of a safe expression.
List* open_branches(const RowScope* scope, const Expr* expression);

}  // namespace dpmix::pg
