// dpmix.suppress: cells of a statement's result that are too uncertain to be shown are NULL.
//
// A cell is a column of the statement itself, or of a row that is one, that is an aggregate of an
// answer as it is, also through sub-selects, WITH queries and UNION that hand rows on. HAVING,
// ORDER BY, DISTINCT, UNION, memory and what is computed from cells see the numbers.
#pragma once

#include "pg/facade/calls.hpp"

namespace dpmix::pg {

// Hides such cells of a statement over answers. Sets all_shown where it cannot be done.
void hide_uncertain_cells(StatementAnswers* answers);

}  // namespace dpmix::pg
