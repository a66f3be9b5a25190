// The names of answers that a statement reads: queries of its WITH.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

inline constexpr char kAnswerName[] = "private answer";

// Whether an entry of FROM reads one.
bool names_answer(const RangeTblEntry* entry);
// Whether an expression has a sub-select that does.
bool reads_answers(Node* expression);

}  // namespace dpmix::pg
