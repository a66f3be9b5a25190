// dpmix.preview: the noise of a query, statistic by statistic, which mechanisms could make it, and
// what it would take from the budget.
#include <cmath>
#include <string_view>

#include "core/noise/lattice_moments.hpp"
#include "core/noise/law.hpp"
#include "core/noise/partition_selection.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/query.hpp"
#include "pg/query/statistics/cells.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
PG_FUNCTION_INFO_V1(dpmix_preview);
}

namespace dpmix::pg {
namespace {

struct UseSearch {  // of a statistic, in an expression over released rows
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
    const AggregateParts& parts = search->priced->statistics->parts[value->aggregate];
    if (parts.count != search->statistic && parts.sum != search->statistic &&
        parts.squares != search->statistic &&
        !has_cells_in(search->priced->statistics, parts, search->statistic)) {
      return false;
    }
    search->used = true;
    const bool ratio = (parts.count >= 0 && parts.sum >= 0) ||
                       shape->aggregate[value->aggregate].kind == AggregateKind::quantile;
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

// A jsonb array of one object for each family that was looked at.
Datum candidates_of(const PricedQuery* priced, int statistic) {
  const Candidates* candidates = &priced->candidates;
  const double step = priced->statistics->statistic[statistic].lattice.step;
  StringInfoData out;
  initStringInfo(&out);
  for (int c = 0; c < candidates->count; c++) {
    const Candidate* candidate = &candidates->candidate[c];
    const double error = candidates->error[(Size)c * priced->statistics->count + statistic] * step;
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
  return DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data));
}

void preview_statistic(const PricedQuery* priced, int i, const Outlook& outlook,
                       const ResultRows& rows) {
  const StatisticNoise* noise = &priced->noise[i];
  const double step = priced->statistics->statistic[i].lattice.step;
  const LatticeMoments moments = guard([&] { return lattice_moments(noise->law, 1); });
  const double half_width = guard([&] { return lattice_quantile(noise->law, 1, 0.95); });
  bool direct;
  const char* users = users_of(priced, i, &direct);
  add_row(rows, {users, priced->statistics->statistic[i].text, name(priced->plan.family).data(),
                 noise->law.sensitivity * step, noise->epsilon, noise->delta, moments.stddev * step,
                 // The error of a ratio depends on the private count.
                 value_if(direct, moments.expected_abs * step), value_if(direct, half_width * step),
                 Value(JSONBOID, candidates_of(priced, i)), outlook.cost, outlook.delta,
                 outlook.share, outlook.calls});
}

// What finding the groups takes, as one row more.
void preview_search(const PricedQuery* priced, const Outlook& outlook, const ResultRows& rows) {
  const GroupSearch& search = priced->plan.search;
  uint64 half_from = 0, all_from = 0;  // units
  guard([&] {
    const PartitionSelection selection(search.each_epsilon, search.each_delta);
    half_from = selection.likely_from();
    all_from = selection.sure_from();
  });
  const char* candidates = psprintf(
      "[{\"mechanism\": \"partition_selection\", "
      "\"half_kept_from\": " UINT64_FORMAT ", \"all_kept_from\": " UINT64_FORMAT "}]",
      half_from, all_from);
  const Value unknown = value_if(false, 0.);
  add_row(rows, {value_if(false, ""), "groups found", "partition_selection", (double)search.coins,
                 search.epsilon, search.delta, unknown, unknown, unknown,
                 Value(JSONBOID, DirectFunctionCall1(jsonb_in, CStringGetDatum(candidates))),
                 outlook.cost, outlook.delta, outlook.share, outlook.calls});
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_preview(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  const PricedQuery priced = priced_query(query_call(fcinfo), true);
  const Outlook outlook = nearest_outlook(&priced);
  for (int i = 0; i < priced.statistics->count; i++) preview_statistic(&priced, i, outlook, rows);
  if (priced.groups->discovered) preview_search(&priced, outlook, rows);
  return (Datum)0;
}
}
