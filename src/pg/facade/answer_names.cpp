#include "pg/facade/answer_names.hpp"

#include "pg/border/compat.hpp"

namespace dpmix::pg {

bool names_answer(const RangeTblEntry* entry) {
  return entry->rtekind == RTE_CTE &&
         strncmp(entry->ctename, kAnswerName, sizeof kAnswerName - 1) == 0;
}

bool reads_answers(Node* expression) {
  if (expression == NULL) return false;
  if (IsA(expression, RangeTblEntry)) return names_answer((const RangeTblEntry*)expression);
  const auto visit = [](Node* node, void*) { return reads_answers(node); };
  if (IsA(expression, Query)) return walk_with_entries((Query*)expression, visit, NULL);
  return walk_expression(expression, visit, NULL);
}

}  // namespace dpmix::pg
