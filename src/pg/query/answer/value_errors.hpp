// Evaluates what may have no value: an error of the values is a NULL, every other error an error.
//
// Errors of the values are SQLSTATE class 22 (division by zero, out of range, invalid text),
// numeric NaN or infinity as an integer (0A000), a text or array that gets too long (54000, or
// XX000 of a request of too much memory at once), and one nested too deep (54001).
#pragma once

#include "pg/border/callable.hpp"

namespace dpmix::pg {

// False if it ended in an error of the values. It runs in a subtransaction; not in parallel mode.
bool without_value_errors(Action body);

}  // namespace dpmix::pg
