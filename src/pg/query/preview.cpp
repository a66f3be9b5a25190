// dpmix.preview: the noise of a query, statistic by statistic, which mechanisms could make it, and
// what it would take from the budget. The SQL objects of 0.2.0 have no columns for the last, those
// of 0.1.0 none for the mechanisms either.
#include <cmath>
#include <string_view>

#include "core/noise/law.hpp"
#include "core/noise/partition_selection.hpp"
#include "core/noise/lattice_moments.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/query.hpp"
#include "pg/query/statistics/quantiles.hpp"
#include "pg/query/record.hpp"

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
  const ReleasedQuery* released = priced->shape->released;
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

constexpr int kNoiseColumns = 10;

void preview_statistic(const PricedQuery* priced, int i, const Outlook& outlook,
                       Tuplestorestate* rows, TupleDesc columns) {
  const StatisticNoise* noise = &priced->noise[i];
  const double step = priced->statistics->statistic[i].lattice.step;
  const LatticeMoments moments = guard([&] { return lattice_moments(noise->law, 1); });
  const double half_width = guard([&] { return lattice_quantile(noise->law, 1, 0.95); });
  bool direct;
  Datum values[kNoiseColumns + kOutlookColumns];
  bool nulls[lengthof(values)] = {};
  values[0] = CStringGetTextDatum(users_of(priced, i, &direct));
  values[1] = CStringGetTextDatum(priced->statistics->statistic[i].text);
  values[2] = CStringGetTextDatum(mechanism_text(priced->plan.family));
  values[3] = Float8GetDatum(noise->law.sensitivity * step);
  values[4] = Float8GetDatum(noise->epsilon);
  values[5] = Float8GetDatum(noise->delta);
  values[6] = Float8GetDatum(moments.stddev * step);
  values[7] = Float8GetDatum(moments.expected_abs * step);
  values[8] = Float8GetDatum(half_width * step);
  values[9] = candidates_of(priced, i);
  put_outlook(outlook, values + kNoiseColumns);
  nulls[7] = nulls[8] = !direct;  // the error of a ratio depends on the private count
  tuplestore_putvalues(rows, columns, values, nulls);
}

// What finding the groups takes, as one row more.
void preview_search(const PricedQuery* priced, const Outlook& outlook, Tuplestorestate* rows,
                    TupleDesc columns) {
  const GroupSearch& search = priced->plan.search;
  struct Kept {
    uint64 likely, sure;  // from how many units on
  };
  const Kept from = guard([&] {
    const PartitionSelection selection(search.each_epsilon, search.each_delta);
    return Kept{selection.likely_from(), selection.sure_from()};
  });
  Datum values[kNoiseColumns + kOutlookColumns];
  bool nulls[lengthof(values)] = {};
  values[1] = CStringGetTextDatum("groups found");
  values[2] = CStringGetTextDatum("partition_selection");
  values[3] = Float8GetDatum(search.coins);
  values[4] = Float8GetDatum(search.epsilon);
  values[5] = Float8GetDatum(search.delta);
  values[9] = DirectFunctionCall1(
      jsonb_in, CStringGetDatum(psprintf("[{\"mechanism\": \"partition_selection\", "
                                         "\"half_kept_from\": " UINT64_FORMAT
                                         ", \"all_kept_from\": " UINT64_FORMAT "}]",
                                         from.likely, from.sure)));
  put_outlook(outlook, values + kNoiseColumns);
  nulls[0] = nulls[6] = nulls[7] = nulls[8] = true;
  tuplestore_putvalues(rows, columns, values, nulls);
}

}  // namespace

Outlook nearest_outlook(const PricedQuery* priced) {
  Outlook nearest = {};
  for (int i = 0; i < priced->prices; i++) {
    const QueryPlan* plan = &priced->price[i].plan;
    const Outlook outlook = outlook_of(priced->price[i].table, plan->epsilon, plan->delta,
                                       plan->has_own ? &plan->own : NULL);
    if (i == 0 || outlook.calls < nearest.calls) nearest = outlook;
  }
  return nearest;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_preview(PG_FUNCTION_ARGS) {
  TupleDesc columns;
  Tuplestorestate* rows = begin_result(fcinfo, &columns);
  const PricedQuery priced = prepare(fcinfo, true);
  Outlook outlook = {};
  if (columns->natts > kNoiseColumns) outlook = nearest_outlook(&priced);
  for (int i = 0; i < priced.statistics->count; i++) {
    preview_statistic(&priced, i, outlook, rows, columns);
  }
  if (priced.groups->discovered) preview_search(&priced, outlook, rows, columns);
  return (Datum)0;
}
}
