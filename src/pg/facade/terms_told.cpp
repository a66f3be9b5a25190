#include "pg/facade/terms_told.hpp"

#include <algorithm>

#include "core/noise/law.hpp"
#include "pg/query/preview/answer_error.hpp"
#include "pg/query/price/left_out.hpp"
#include "pg/query/read/layer.hpp"
#include "pg/query/recall/found_groups.hpp"

namespace dpmix::pg {

namespace {

double declared_combinations(const QueryGroups* groups) {
  double all = 1;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn& key = groups->key[k];
    all *= key.declared + key.has_null + key.shows_others;
  }
  return all;
}

}  // namespace

List* noise_lines(const PricedQuery* priced, const char* of) {
  List* lines = NIL;
  const QueryGroups* groups = priced->groups;
  if (groups->none) return list_make1((void*)nothing_possible(groups));
  const double declared = declared_combinations(groups);
  if (!groups->discovered && groups->cube == NULL && groups->count < declared) {
    lines = list_make1(psprintf("groups: %d of %.0f", groups->count, declared));
  }
  const char* left_out = keys_that_leave_out(priced);
  if (*left_out != '\0') {
    lines = lappend(lines,
                    psprintf("%s: rows with other values of %s",
                             groups->cube != NULL ? "in totals alone" : "in no group", left_out));
  }
  if (groups->discovered) {
    lines = list_make1(psprintf("groups by %s: found, half of those of %s; NULL is in none",
                                found_keys(priced), half_kept_text(priced)));
  }
  for (int i = 0; i < priced->statistics->count; i++) {
    const double step = priced->statistics->statistic[i].step();
    for (int set = 0; set < sets_of(priced->groups); set++) {
      const AnswerError error = answer_error(priced, i, set);
      lines = lappend(
          lines, priced->noise[i].range > 0
                     ? psprintf("%s: drawn, 95%% within about %.3g ranks%s", error.text,
                                error.half_width, of)
                     : psprintf("%s: %s noise, 95%% within %.3g%s", error.text,
                                name(priced->plan.family).data(), error.half_width * step, of));
    }
  }
  return lines;
}

List* layer_lines(const PricedQuery* priced) {
  const Layer* layer = priced->scope.sources->source[0].layer;
  if (layer == NULL) return NIL;
  StringInfoData names;
  initStringInfo(&names);
  const ListCell* cell;
  foreach (cell, layer->tables) {
    appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
                     ((const ProtectedTable*)lfirst(cell))->name);
  }
  const char* most = layer->one
                         ? "one of each person"
                         : psprintf(INT64_FORMAT " of each person count, at most", layer->most);
  List* lines = list_make1(
      psprintf("rows: what sub-selects make of one person's rows of %s; %s", names.data, most));
  if (layer->without != NULL) {
    lines = lappend(lines, psprintf("people without a row in %s: left out", layer->without));
  }
  const char* cut_off = counts_cut_off(priced);
  return *cut_off == '\0' ? lines : lappend(lines, psprintf("groups: %s", cut_off));
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
