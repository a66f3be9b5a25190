// Evaluates what may have no value: an error of the values is a NULL, every other error an error.
//
// Errors of the values are SQLSTATE class 22 (division by zero, out of range, invalid text),
// numeric NaN or infinity as an integer (0A000), a text or array that gets too long (54000, or
// XX000 of a request of too much memory at once), and one nested too deep (54001).
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "executor/executor.h"
}

namespace dpmix::pg {

// Runs body(arg); false if it ended in an error of the values. It runs in a subtransaction, for
// whatever a function holds when it fails (PostgreSQL's own written in SQL open snapshots and
// plans) goes with that. Not in parallel mode.
bool without_value_errors(void (*body)(void* arg), void* arg);

}  // namespace dpmix::pg
