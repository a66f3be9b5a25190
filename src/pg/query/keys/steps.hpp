// What a group key computes of a bucket: casts, rounding, arithmetic with constants, moves in time.
// So BI tools write buckets: CAST(extract(month FROM day) AS integer), date_trunc('month',
// day)::date, floor(extract(epoch FROM seen) / 300) * 300.
//
// A step could raise on some value, or be beyond its type. So it is computed of the finitely many
// values of its bucket alone, after it was computed of each of them once, before the charge.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// Whether a function cuts time at midnight: timestamp::date.
bool is_cast_to_day(Oid function);

// The call below all steps, which may be the expression itself; NULL where there is anything else.
// to_day: the first cast to a day instead. rises: whether the steps never fall where the call's
// value rises.
FuncExpr* below_steps(Node* expression, bool to_day, bool* rises);

// What one step is computed of; NULL: it is none.
Node* below_step(Node* node, bool* rises);

constexpr int kPlace = 1 << 14;  // varno of the value of a part: the number of no table
// An expression over a column in place of a part of it.
Expr* steps_over(const Expr* expression, const Expr* part, const Var* column);

}  // namespace dpmix::pg
