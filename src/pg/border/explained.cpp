#include "pg/border/explained.hpp"

#include "pg/border/compat.hpp"

namespace dpmix::pg {

void explain_lines(const char* label, List* lines, ExplainState* state) {
  if (state->format != EXPLAIN_FORMAT_TEXT) {
    ExplainOpenGroup(label, NULL, true, state);
    ExplainPropertyList(label, lines, state);
    ExplainCloseGroup(label, NULL, true, state);
    return;
  }
  ListCell* cell;
  foreach (cell, lines) ExplainPropertyText(label, (const char*)lfirst(cell), state);
}

}  // namespace dpmix::pg
