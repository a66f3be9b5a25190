#include "pg/facade/terms_told.hpp"

#include <algorithm>

#include "core/noise/law.hpp"
#include "pg/query/answer_error.hpp"

namespace dpmix::pg {

namespace {

double declared_combinations(const QueryGroups* groups) {
  double all = 1;
  for (int k = 0; k < groups->keys; k++) all *= groups->key[k].declared;
  return all;
}

}  // namespace

List* noise_lines(const PricedQuery* priced) {
  List* lines = NIL;
  const QueryGroups* groups = priced->groups;
  if (groups->none) return list_make1((void*)"no group is possible");
  const double declared = declared_combinations(groups);
  if (!groups->discovered && groups->cube == NULL && groups->count < declared) {
    lines = list_make1(psprintf("groups: %d of %.0f", groups->count, declared));
  }
  for (int i = 0; i < priced->statistics->count; i++) {
    const double step = priced->statistics->statistic[i].step();
    for (int set = 0; set < sets_of(priced->groups); set++) {
      const AnswerError error = answer_error(priced, i, set);
      lines = lappend(lines, psprintf("%s: %s noise, 95%% within %.3g", error.text,
                                      name(priced->plan.family).data(), error.half_width * step));
    }
  }
  return lines;
}

List* price_lines(const PricedQuery* priced, const QueryPlan* plans, bool charged) {
  List* lines = NIL;
  for (int i = 0; i < priced->prices; i++) {
    TablePrice price = priced->price[i];
    if (plans != NULL) price.plan = plans[i];
    const Outlook outlook = table_outlook(&price);
    StringInfoData line;
    initStringInfo(&line);
    appendStringInfo(&line, "epsilon %.6g", price.plan.epsilon);
    if (price.plan.delta > 0) appendStringInfo(&line, ", delta %.3g", price.plan.delta);
    appendStringInfo(&line, ": %.3g%% of the budget of %s; " INT64_FORMAT " %s fit",
                     100 * outlook.share, price.table->name,
                     charged ? std::max<int64>(outlook.calls - 1, 0) : outlook.calls,
                     charged ? "more" : "such queries");
    lines = lappend(lines, line.data);
  }
  return lines;
}

}  // namespace dpmix::pg
