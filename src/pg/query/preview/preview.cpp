#include "pg/query/preview/preview.hpp"

#include <cmath>
#include <string_view>

#include "core/noise/law.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/preview/answer_error.hpp"
#include "pg/query/preview/groups.hpp"
#include "pg/query/price/bounded_totals.hpp"
#include "pg/query/price/left_out.hpp"
#include "pg/query/recall/recall.hpp"
#include "pg/query/statistics/cells.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/float.h"
}

namespace dpmix::pg {
namespace {

struct UseSearch {  // for a statistic in an expression over released rows
  const PricedQuery* priced;
  int statistic;
  const Node* whole;  // the expression
  bool used, direct;  // direct: it is the statistic itself
};

bool find_use(Node* node, void* arg) {
  if (node == NULL) return false;
  UseSearch* search = (UseSearch*)arg;
  const QueryShape* shape = search->priced->shape;
  if (IsA(node, Var) && ((Var*)node)->varattno > shape->keys) {
    const ReleasedValue* value = &shape->value[((Var*)node)->varattno - shape->keys - 1];
    if (value->end == ReleasedEnd::grouping) return false;
    if (value->expression != NULL) return find_use((Node*)value->expression, arg);
    const AggregateParts& parts = search->priced->statistics->parts[value->aggregate];
    if (!parts.has(search->statistic) &&
        !has_cells_in(search->priced->statistics, parts, search->statistic)) {
      return false;
    }
    search->used = true;
    const bool ratio = parts.divides() || has_tree(search->priced->statistics, parts);
    search->direct |= node == search->whole && !ratio;
  }
  return walk_expression(node, find_use, arg);
}

UseSearch use_of(const PricedQuery* priced, int statistic, const Expr* expression) {
  UseSearch search = {priced, statistic, (const Node*)expression, false, false};
  (void)find_use((Node*)expression, &search);
  return search;
}

void append_name(StringInfo names, const char* name) {
  appendStringInfo(names, "%s%s", names->len > 0 ? ", " : "", name);
}

// The output columns that use a statistic, and whether one of them is the statistic itself; then
// HAVING, and ORDER BY where it sorts by something that is not returned.
char* users_of(const PricedQuery* priced, int statistic, bool* direct) {
  StringInfoData names;
  initStringInfo(&names);
  *direct = false;
  const ReleasedColumns* released = priced->shape->released;
  for (int i = 0; i < released->columns; i++) {
    const UseSearch use = use_of(priced, statistic, released->column[i].expression);
    if (use.used) append_name(&names, released->column[i].name);
    *direct = *direct || use.direct;
  }
  if (use_of(priced, statistic, released->having).used) append_name(&names, "HAVING");
  bool sorts = false;
  for (int i = released->columns; i < released->columns + released->hidden; i++) {
    sorts = sorts || use_of(priced, statistic, released->column[i].expression).used;
  }
  if (sorts) append_name(&names, "ORDER BY");
  return names.data;
}

const char* json_number(double value) {  // JSON has neither NaN nor infinities
  return std::isfinite(value) ? float8out_internal(value) : "null";
}

// Names and verdicts are texts of dpmix's own, without anything to escape.
void append_text(StringInfo out, const char* key, std::string_view text) {
  appendStringInfo(out, "\"%s\": \"%.*s\"", key, (int)text.size(), text.data());
}

// A JSON array of one object for each family that was looked at.
const char* candidates_of(const PricedQuery* priced, int statistic, const AnswerError& shown) {
  const Candidates* candidates = &priced->candidates;
  const double step = priced->statistics->statistic[statistic].step();
  StringInfoData out;
  initStringInfo(&out);
  if (priced->noise[statistic].range > 0) {
    return psprintf(
        "[{\"mechanism\": \"exponential\", \"expected_error\": %s, \"epsilon\": %s, "
        "\"delta\": %s, \"verdict\": \"chosen\"}]",
        json_number(shown.expected_abs), json_number(priced->plan.epsilon),
        json_number(priced->plan.delta));
  }
  for (int c = 0; c < candidates->count; c++) {
    const Candidate* candidate = &candidates->candidate[c];
    const double error =
        priced->groups->cube != NULL  // one family, and noise of its own for each set
            ? shown.expected_abs * step
            : candidates->error[(Size)c * priced->statistics->count + statistic] * step;
    appendStringInfoString(&out, c == 0 ? "[{" : ", {");
    append_text(&out, "mechanism", name(candidate->family));
    appendStringInfo(&out,
                     ", \"expected_error\": %s, \"epsilon\": %s, \"delta\": %s, "
                     "\"budget_share\": %s, ",
                     json_number(error), json_number(candidate->epsilon),
                     json_number(candidate->delta), json_number(candidate->price));
    append_text(&out, "verdict", describe(candidate->verdict));
    appendStringInfoChar(&out, '}');
  }
  appendStringInfoChar(&out, ']');
  return out.data;
}

struct Price {  // the call's, after memory
  Remembered verdict;
  Outlook outlook;
};

Price price_of(const PricedQuery* priced) {
  constexpr Outlook kFree = {0, 0, 0, PG_INT64_MAX, false};
  const Recall recalled = recall(priced, false);
  ListCell* cell;
  foreach (cell, sight_lines(priced, recalled)) {
    ereport(NOTICE, (errmsg("%s", (const char*)lfirst(cell)),
                     errdetail("The answer is partly or all in memory, where anyone's charges "
                               "answer everybody. A cap counts what its role is shown of them, "
                               "each once.")));
  }
  if (is_free(recalled.verdict)) return {recalled.verdict, kFree};
  return {recalled.verdict, nearest_outlook(priced, recalled.plan)};
}

// Previews a statistic's answers in groups of a grouping set.
void preview_statistic(const PricedQuery* priced, int i, int set, const Price& price,
                       const PreviewRows& out) {
  const StatisticNoise* noise = &priced->noise[i];
  const double step = priced->statistics->statistic[i].step();
  const AnswerError error = answer_error(priced, i, set);
  bool direct;
  const char* users = users_of(priced, i, &direct);
  Previewed row = {.output = users,
                   .statistic = error.text,
                   .mechanism = noise->range > 0 ? "exponential" : name(priced->plan.family).data(),
                   .sensitivity = noise->law.sensitivity * step,
                   .epsilon = noise->epsilon,
                   .delta = noise->delta,
                   .stddev = error.stddev * step,
                   .memory = name(price.verdict)};
  if (direct) {  // the error of a ratio depends on the private count
    row.error = error.expected_abs * step;
    row.half_width = error.half_width * step;
  }
  if (out.details) row.candidates = candidates_of(priced, i, error);
  add_previewed(out, row, price.outlook);
}

// What finding the groups takes, as one row more.
void preview_search(const PricedQuery* priced, const Price& price, const PreviewRows& out) {
  const GroupSearch& search = priced->plan.search;
  const KeptFrom kept = guard([&] { return kept_from(search); });
  const char* mechanism = name(search.kind).data();
  const char* candidates = psprintf(
      "[{\"mechanism\": \"%s\", \"half_kept_from\": %.0f, \"all_kept_from\": %s%s}]", mechanism,
      kept.half, kept.all ? psprintf("%.0f", *kept.all) : "null",
      search.weight_bits == 0
          ? ""
          : psprintf(", \"weighed\": true, \"half_kept_from_if_in_all\": %.0f", kept.half_of_busy));
  add_previewed(out,
                {.statistic = "groups found",
                 .mechanism = mechanism,
                 .sensitivity = (double)search.groups,
                 .epsilon = search.epsilon,
                 .delta = search.delta,
                 .candidates = candidates,
                 .memory = name(price.verdict)},
                price.outlook);
}

}  // namespace

void preview_query(const QueryCall& call, std::optional<int64> group_rows, const PreviewRows& out) {
  const PricedQuery priced = priced_query(call, out.details);
  tell_of_bound(&priced);
  if (const char* other = more_accurate_text(&priced)) {
    ereport(NOTICE,
            (errmsg("%s", other), errhint("Ask with mechanism => 'accurate', or without delta.")));
  }
  const Price price = price_of(&priced);
  notice_left_out(&priced);
  for (int i = 0; i < priced.statistics->count; i++) {
    for (int set = 0; set < sets_of(priced.groups); set++) {
      preview_statistic(&priced, i, set, price, out);
    }
  }
  if (priced.groups->discovered) preview_search(&priced, price, out);
  if (group_rows) {
    constexpr int64 kMostRows = 1000000000000;
    require_range("group_rows", *group_rows, 1, kMostRows,
                  "It is how many rows a group has that you think of.");
    preview_groups(&priced, *group_rows, price.outlook, name(price.verdict), out);
  }
}

}  // namespace dpmix::pg
