// dpmix.preview: the noise of a query, statistic by statistic, which mechanisms could make it, and
// what it would take from the budget. The SQL objects of 0.2.0 have no columns for the last, those
// of 0.1.0 none for the mechanisms either.
#include <cmath>
#include <string_view>

#include "core/mechanism/noise_law.hpp"
#include "pg/balance.hpp"
#include "pg/compat.hpp"
#include "pg/guard.hpp"
#include "pg/query.hpp"
#include "pg/query_record.hpp"

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
  bool used, direct;  // direct: as the statistic itself
};

bool find_use(Node* node, void* arg) {
  if (node == NULL) return false;
  UseSearch* search = (UseSearch*)arg;
  const QueryShape* shape = search->priced->shape;
  if (IsA(node, Var) && ((Var*)node)->varattno > shape->keys) {
    const ReleasedValue* value = &shape->value[((Var*)node)->varattno - shape->keys - 1];
    const AggregateParts& parts = search->priced->statistics->parts[value->aggregate];
    if (parts.count != search->statistic && parts.sum != search->statistic) return false;
    search->used = true;
    search->direct |= shape->aggregate[value->aggregate].kind != AggregateKind::mean;
  }
  return walk_expression(node, find_use, arg);
}

// The output columns that use a statistic, and whether one of them is the statistic itself.
char* users_of(const PricedQuery* priced, int statistic, bool* direct) {
  StringInfoData names;
  initStringInfo(&names);
  *direct = false;
  const ReleasedQuery* released = priced->shape->released;
  for (int i = 0; i < released->columns; i++) {
    UseSearch search = {priced, statistic, false, false};
    (void)find_use((Node*)released->column[i].expression, &search);
    if (!search.used) continue;
    *direct = *direct || search.direct;
    appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", released->column[i].name);
  }
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

// Of the table whose budget or grant ends first.
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

}  // namespace
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
  return (Datum)0;
}
}
